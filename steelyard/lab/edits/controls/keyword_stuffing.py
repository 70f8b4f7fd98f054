"""Keyword Stuffing, the negative control: the page's own keywords over and over."""

from __future__ import annotations

import random
from itertools import cycle, islice

from steelyard.lab.edits import phrasebook
from steelyard.lab.edits.base import Edit, Target
from steelyard.lab.edits.phrasebook import capitalise

SENTENCES = 3  # as many as in every other block, so that counts per sentence stay comparable


class KeywordStuffing(Edit):
    """Whole words of the page, in the order of their frequency, until the block is full."""

    doses = (1, 8)

    def write_block(self, target: Target, rng: random.Random) -> str:
        each = phrasebook.load(target.language).block_words // SENTENCES
        words = cycle(target.keywords)
        return " ".join(f"{capitalise(' '.join(islice(words, each)))}." for _ in range(SENTENCES))
