"""Stuffing: a block of the page's own keywords after it, as long as the share asks."""

from __future__ import annotations

from itertools import cycle, islice

from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placing import appended, capital, paragraphs

LINE = 24  # words, as in the blocks of the control


def keyword_block(job: Job, size: int) -> str:
    """The keywords in turn, in lines that end as sentences do."""
    lines = paragraphs(list(islice(cycle(job.target.keywords), size)), LINE)
    return " ".join(f"{capital(line)}." for line in lines)


class Stuffing(Attack):
    """Whole words of the page, in the order of their frequency, over and over."""

    family = "stuffing"
    described = True
    seeded = False

    def attacked(self, job: Job) -> str:
        return appended(job, [keyword_block(job, job.aim)])
