"""Keyword Stuffing, the negative control: the page's own keywords over and over."""

from __future__ import annotations

import random

from steelyard.lab.edits import phrasebook
from steelyard.lab.edits.base import Edit, Target

SENTENCES = 3  # as many as every other block has, so that counts per sentence stay comparable


class KeywordStuffing(Edit):
    """Whole words of the page, in the order of their frequency, until the block is full."""

    doses = (1, 8)

    def block(self, target: Target, rng: random.Random) -> str:
        total = phrasebook.load(target.language).block_words
        words = [target.keywords[i % len(target.keywords)] for i in range(total)]
        each = total // SENTENCES
        lines = [" ".join(words[i * each : (i + 1) * each]) for i in range(SENTENCES)]
        return " ".join(f"{_capital(line[0])}{line[1:]}." for line in lines)


def _capital(letter: str) -> str:
    """Some letters (ſ, ı, ß) come back from upper case as others, and the word would no longer be the page's."""
    return letter.upper() if letter.upper().lower() == letter else letter
