"""Duplication: the beginning of the page, or the whole of it, once more at its end."""

from __future__ import annotations

import re

from steelyard.lab.edits.attacks.base import HEAVY, Attack, Job
from steelyard.lab.edits.attacks.placement import append_blocks

_WORD = re.compile(r"\S+")


def cut_beginning(text: str, size: int) -> str:
    """Return the first words of a text, with the spaces between them unchanged."""
    words = list(_WORD.finditer(text))[:size]
    return text[words[0].start() : words[-1].end()]


class Duplication(Attack):
    """Light repeats the first words of the page up to the share, heavy the whole page."""

    family = "duplication"

    def rewrite(self, job: Job) -> str:
        text = job.target.text
        return append_blocks(job, [text if job.strength == HEAVY else cut_beginning(text, job.wanted_words)])
