"""The Edit contract: x ⊕ e^δ, deterministic in (page, dose, seed), with the page itself unchanged."""

from __future__ import annotations

import hashlib
import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import ClassVar

from steelyard.errors import SteelyardError
from steelyard.lab.edits import phrasebook, topics
from steelyard.lab.edits.phrasebook import Phrasebook

REPEAT = "repeat"
FRESH = "fresh"
ARMS = (REPEAT, FRESH)
BLANK_LINE = "\n\n"
TRIES = 50  # drawings until a block holds nothing that is counted; a word of the page can make a sentence count


class NothingToChange(SteelyardError):
    """A page has nothing of what a change of form would change."""


@dataclass(frozen=True)
class Target:
    """The page an edit is applied to."""

    text: str
    language: str = "en"

    @cached_property
    def topics(self) -> tuple[str, ...]:
        return topics.find_topics(self.text, self.language)

    @cached_property
    def keywords(self) -> tuple[str, ...]:
        return topics.find_keywords(self.text, self.language)

    @cached_property
    def separator(self) -> str:
        """What the page puts between its paragraphs: a blank line, a line break, or one space in flattened text."""
        body = self.text.strip()
        return BLANK_LINE if BLANK_LINE in body else "\n" if "\n" in body else " "

    @cached_property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode("utf-8", "replace")).hexdigest()


@dataclass(frozen=True, slots=True)
class EditedPage:
    """The edited text, and the blocks that were added to the page."""

    text: str
    blocks: tuple[str, ...]


class PageChange:
    """A lever, a control or an attack: named after its class, with random draws of its own for every page."""

    @property
    def name(self) -> str:
        """The name in every artifact: the class name in snake case."""
        return "".join(f"_{c.lower()}" if c.isupper() else c for c in type(self).__name__).lstrip("_")

    def seed_rng(self, target: Target, seed: int, *more: str) -> random.Random:
        key = "|".join((str(seed), self.name, *more, target.digest))
        return random.Random(int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big"))


class Edit(PageChange, ABC):
    """A change that adds one block per dose, after the page or before it."""

    doses: ClassVar[tuple[int, ...]] = (1,)
    separator: ClassVar[str | None] = None  # between page and blocks; None for what the page has between paragraphs
    leads: ClassVar[bool] = False  # the blocks stand before the page

    @abstractmethod
    def write_block(self, target: Target, rng: random.Random) -> str:
        """Write what is added once."""

    def write_fresh_blocks(self, target: Target, dose: int, rng: random.Random) -> tuple[str, ...]:
        """Write blocks that differ; an edit with a single block, such as stuffing, repeats it."""
        return (self.write_block(target, rng),) * dose

    def apply(self, target: Target, *, dose: int = 1, seed: int = 0, arm: str = REPEAT) -> EditedPage:
        """Add `dose` blocks: the same one each time (the paper's arm), or a fresh one each time."""
        rng = self.seed_rng(target, seed)
        blocks = self.write_fresh_blocks(target, dose, rng) if arm == FRESH else (self.write_block(target, rng),) * dose
        return EditedPage(self.join(target.text, blocks, target.separator), blocks)

    def join(self, text: str, blocks: Sequence[str], page_separator: str) -> str:
        """Return the text with the blocks where they belong."""
        separator = page_separator if self.separator is None else self.separator
        return separator.join((*blocks, text) if self.leads else (text, *blocks))


class PhrasebookEdit(Edit):
    """An edit whose blocks come from the phrase book, written around the page's topic words."""

    between: ClassVar[str] = " "  # the sentences of a block
    mark: ClassVar[str] = ""  # at the beginning of each of them
    phrases: ClassVar[str] = ""  # whose sentences it writes; its own if empty
    is_silent: ClassVar[bool] = False  # drawn again where the page's own words make a block count

    def load_book(self, language: str) -> Phrasebook:
        return phrasebook.load(language)

    def write_block(self, target: Target, rng: random.Random) -> str:
        return self.write_fresh_blocks(target, 1, rng)[0]

    def write_fresh_blocks(self, target: Target, dose: int, rng: random.Random) -> tuple[str, ...]:
        """Write the blocks, silent ones again while something in them counts, in the end around other topics first."""
        book, phrases = self.load_book(target.language), self.phrases or self.name
        for first, _ in product(range(len(target.topics)), range(TRIES)):
            words = target.topics[first:] + target.topics[:first]
            blocks = book.write_blocks(phrases, dose, words, rng, between=self.between, mark=self.mark)
            if not self.is_silent or not any(topics.find_counted(block, target.language) for block in blocks):
                break
        return blocks


class StructureEdit(PhrasebookEdit):
    """An edit whose blocks are Markdown: a blank line stands between them and the page, even in flattened text."""

    separator = BLANK_LINE
    is_silent = True
