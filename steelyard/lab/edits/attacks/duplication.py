"""Duplication: the beginning of the page, or the whole of it, once more at its end."""

from __future__ import annotations

import re

from steelyard.lab.edits.attacks.base import HEAVY, Attack, Job
from steelyard.lab.edits.attacks.placing import appended

_WORD = re.compile(r"\S+")


def beginning(text: str, size: int) -> str:
    """The first words of a text, with the spaces between them as they are."""
    found = list(_WORD.finditer(text))[:size]
    return text[found[0].start() : found[-1].end()]


class Duplication(Attack):
    """Light repeats the first words of the page up to the share, heavy the whole page."""

    family = "duplication"
    described = True
    seeded = False

    def attacked(self, job: Job) -> str:
        text = job.target.text
        return appended(job, [text if job.strength == HEAVY else beginning(text, job.aim)])
