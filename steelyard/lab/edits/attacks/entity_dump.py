"""Entity dump: a list of persons, places and organisations, without a sentence around them."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placing import appended, cycled, fitted, listed


class EntityDump(Attack):
    """Names between commas, in lines of a dozen."""

    family = "dumps"

    def attacked(self, job: Job) -> str:
        return appended(job, listed(fitted(job, self._names(job)), job.target.separator))

    def _names(self, job: Job) -> Iterator[str]:
        for form in cycled(job, job.material.list("entities", "forms")):
            yield job.material.filled(form, job.rng)
