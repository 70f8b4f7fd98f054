"""Number dump: a list of figures, percentages, years and prices, without a sentence around them."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placing import appended, cycled, fitted, listed


class NumberDump(Attack):
    """Figures between semicolons, because French writes decimals with a comma, in lines of a dozen."""

    family = "dumps"

    def attacked(self, job: Job) -> str:
        return appended(job, listed(fitted(job, self._figures(job)), job.target.separator, mark=";"))

    def _figures(self, job: Job) -> Iterator[str]:
        for form in cycled(job, job.material.list("figures", "forms")):
            yield job.material.filled(form, job.rng)
