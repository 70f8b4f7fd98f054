"""The page's own words once more: its keywords over and over, a run of its sentences, or the whole of it."""

from __future__ import annotations

import random
from itertools import cycle, islice

from steelyard.lab.edits import phrasebook
from steelyard.lab.edits.base import Edit, Target
from steelyard.lab.edits.controls.base import Control
from steelyard.lab.edits.phrasebook import capitalise, count_words

SENTENCES = 3  # of stuffing, as many as in every other block, so that counts per sentence stay comparable


class KeywordStuffing(Edit):
    """The negative control: whole words of the page, in the order of their frequency, until the block is full."""

    doses = (1, 8)

    def write_block(self, target: Target, rng: random.Random) -> str:
        each = phrasebook.load(target.language).block_words // SENTENCES
        words = cycle(target.keywords)
        return " ".join(f"{capitalise(' '.join(islice(words, each)))}." for _ in range(SENTENCES))


class OwnSentences(Control):
    """A run of the page's words, from the beginning of one of its sentences; from its end it goes on at its start."""

    def write_block(self, target: Target, rng: random.Random) -> str:
        words = [word for word in target.text.split() if count_words(word)]
        starts = [0, *(i for i, word in enumerate(words[:-1], start=1) if word[-1] in ".!?")]
        start, length = rng.choice(starts), phrasebook.load(target.language).block_words
        return " ".join(words[(start + i) % len(words)] for i in range(length))


class Duplication(Edit):
    """The block is the page itself."""

    def write_block(self, target: Target, rng: random.Random) -> str:
        return target.text
