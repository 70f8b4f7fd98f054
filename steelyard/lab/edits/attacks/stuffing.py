"""Stuffing: a block of the page's own keywords after it, as long as the share asks for."""

from __future__ import annotations

from itertools import cycle, islice

from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placement import append_blocks, join_units
from steelyard.lab.edits.phrasebook import capitalise

LINE = 24  # words, as in the blocks of the control


def write_keyword_block(job: Job, size: int) -> str:
    """Write the keywords in turn, in lines that end as sentences do."""
    lines = join_units(list(islice(cycle(job.target.keywords), size)), LINE)
    return " ".join(f"{capitalise(line)}." for line in lines)


class Stuffing(Attack):
    """Whole words of the page, in the order of their frequency, over and over."""

    family = "stuffing"

    def rewrite(self, job: Job) -> str:
        return append_blocks(job, [write_keyword_block(job, job.wanted_words)])
