"""Keyword interleaving: the page's keywords between the words of its own sentences."""

from __future__ import annotations

from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placing import cycled, spread, word_gaps


class KeywordInterleaving(Attack):
    """Keywords in lower case at gaps that are drawn, so that no regular distance gives them away."""

    family = "interleaving"
    described = True

    def attacked(self, job: Job) -> str:
        drawn = cycled(job, job.target.keywords)
        return spread(job, [next(drawn) for _ in range(job.aim)], word_gaps(job.target.text))
