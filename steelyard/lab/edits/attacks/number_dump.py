"""Number dump: a list of figures, percentages, years and prices, without a sentence around them."""

from __future__ import annotations

from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placement import append_list


class NumberDump(Attack):
    """Figures between semicolons, because French writes decimals with a comma, in lines of a dozen."""

    family = "dumps"

    def rewrite(self, job: Job) -> str:
        return append_list(job, map(job.fill, job.draw_texts("figures", "forms")), ";")
