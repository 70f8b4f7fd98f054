"""Short blocks: as many sentences of a block as make at most a third of the page, so that no block swamps a passage."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from steelyard.lab.edits.base import Edit, NothingToChange, Target
from steelyard.lab.edits.controls.own_words import OwnSentences
from steelyard.lab.edits.phrasebook import count_words
from steelyard.lab.edits.rearrangements import split_sentences

PART = 3  # the page has at least as many times the words of the block
LONGEST = 28  # words of a sentence of a block
SENTENCES = 3  # of a whole block
_TEMPLATE = re.compile(r"_(?:lever|control)_[0-9]+$")


@dataclass(frozen=True)
class ShortBlock(Edit):
    """The first sentences of another edit's block."""

    whole: Edit

    @property
    def name(self) -> str:
        name, found = self.whole.name, _TEMPLATE.search(self.whole.name)
        return f"{name[: found.start()]}_short{found[0]}" if found else f"{name}_short"

    def write_block(self, target: Target, rng: random.Random) -> str:
        block = self.whole.apply(target).blocks[0]
        if isinstance(self.whole, OwnSentences):  # whose sentences are the page's, of any length
            words = block.split()
            return " ".join(words[: len(words) * self.count(target) // SENTENCES])
        return " ".join(split_sentences(Target(block, target.language))[: self.count(target)])

    def count(self, target: Target) -> int:
        """Return how many sentences the block has, the same for every edit.

        Raises:
            NothingToChange: The page is too short for one.
        """
        words = count_words(target.text)
        if words < PART * LONGEST:
            raise NothingToChange(f"the page has {words} words, and a block of a third needs {PART * LONGEST}")
        return min(SENTENCES, words // (PART * LONGEST))
