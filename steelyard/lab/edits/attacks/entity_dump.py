"""Entity dump: a list of persons, places and organisations, without a sentence around them."""

from __future__ import annotations

from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placement import append_list


class EntityDump(Attack):
    """Names between commas, in lines of a dozen."""

    family = "dumps"

    def rewrite(self, job: Job) -> str:
        return append_list(job, map(job.fill, job.draw_texts("entities", "forms")), ",")
