"""Stuffing in several templates, each beside as many of the page's own words in sentences."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, cycle, islice, repeat

from steelyard.lab.edits import phrasebook
from steelyard.lab.edits.base import Edit, Target
from steelyard.lab.edits.controls.book import TEMPLATES
from steelyard.lab.edits.controls.own_words import SENTENCES, KeywordStuffing, OwnSentences
from steelyard.lab.edits.phrasebook import capitalise

TIMES = 3  # that a word stands behind itself in one of the templates


@dataclass(frozen=True)
class StuffedBlock(KeywordStuffing):
    """The page's keywords: by frequency, by the alphabet, each three times in a row, or in a drawn order."""

    template: int

    @property
    def name(self) -> str:
        return f"keyword_stuffing_lever_{self.template + 1}"

    def write_block(self, target: Target, rng: random.Random) -> str:
        each = phrasebook.load(target.language).block_words // SENTENCES
        words = cycle(self._order(target.keywords, rng))
        return " ".join(f"{capitalise(' '.join(islice(words, each)))}." for _ in range(SENTENCES))

    def _order(self, keywords: Sequence[str], rng: random.Random) -> Sequence[str]:
        if self.template == 1:
            return sorted(keywords)
        if self.template == 2:
            return list(chain.from_iterable(repeat(word, TIMES) for word in keywords))
        return rng.sample(keywords, len(keywords)) if self.template == 3 else keywords


@dataclass(frozen=True)
class RepeatedBlock(OwnSentences):
    """As many words of the page once more, from a sentence that each template draws for itself."""

    template: int

    @property
    def name(self) -> str:
        return f"keyword_stuffing_control_{self.template + 1}"


STUFFED: tuple[Edit, ...] = tuple(
    kind(template) for template in range(TEMPLATES) for kind in (StuffedBlock, RepeatedBlock)
)
