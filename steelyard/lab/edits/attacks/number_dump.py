"""Number dump: a list of figures, percentages, years and prices, without a sentence around them."""

from __future__ import annotations

from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placing import append_list, draw_endlessly


class NumberDump(Attack):
    """Figures between semicolons, because French writes decimals with a comma, in lines of a dozen."""

    family = "dumps"

    def rewrite(self, job: Job) -> str:
        templates = draw_endlessly(job, job.texts.lists["figures"]["forms"])
        return append_list(job, map(job.fill, templates), ";")
