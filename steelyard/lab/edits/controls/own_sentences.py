"""Own sentences: as many words of the page itself once more, from the beginning of one of its sentences."""

from __future__ import annotations

import random

from steelyard.lab.edits import phrasebook
from steelyard.lab.edits.base import Target
from steelyard.lab.edits.controls.base import Control
from steelyard.lab.edits.phrasebook import count_words


class OwnSentences(Control):
    """A run of the page's own words; from its end it goes on at its beginning."""

    def write_block(self, target: Target, rng: random.Random) -> str:
        words = [word for word in target.text.split() if count_words(word)]
        starts = [0, *(i for i, word in enumerate(words[:-1], start=1) if word[-1] in ".!?")]
        start, length = rng.choice(starts), phrasebook.load(target.language).block_words
        return " ".join(words[(start + i) % len(words)] for i in range(length))
