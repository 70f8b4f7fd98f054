"""Keyword interleaving: the page's keywords between the words of its own sentences."""

from __future__ import annotations

from itertools import islice

from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placement import find_word_gaps, spread_pieces


class KeywordInterleaving(Attack):
    """Keywords in lower case at random gaps, so that no regular distance gives them away."""

    family = "interleaving"

    def rewrite(self, job: Job) -> str:
        return interleave(job, job.wanted_words)


def interleave(job: Job, number: int) -> str:
    """Insert this many keywords between the words of the page."""
    keywords = islice(job.draw_endlessly(job.target.keywords), number)
    return spread_pieces(job, list(keywords), find_word_gaps(job.target.text))
