"""The Edit contract: x ⊕ e^δ, deterministic in (page, dose, seed), the page itself kept as it is."""

from __future__ import annotations

import hashlib
import random
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from steelyard.lab.edits import phrasebook, topics

REPEAT = "repeat"
FRESH = "fresh"
ARMS = (REPEAT, FRESH)


@dataclass(frozen=True)
class Target:
    """The page an edit is applied to."""

    text: str
    language: str = "en"

    @cached_property
    def topics(self) -> tuple[str, ...]:
        return topics.topics(self.text, self.language)

    @cached_property
    def keywords(self) -> tuple[str, ...]:
        return topics.keywords(self.text, self.language)

    @cached_property
    def separator(self) -> str:
        """What the page itself puts between paragraphs: a blank line, a line break, or one space on flattened text."""
        body = self.text.strip()
        return "\n\n" if "\n\n" in body else "\n" if "\n" in body else " "

    @cached_property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode("utf-8", "replace")).hexdigest()


@dataclass(frozen=True, slots=True)
class Edited:
    """The edited text, and the blocks that were added to the page."""

    text: str
    blocks: tuple[str, ...]

    @property
    def added(self) -> str:
        return " ".join(self.blocks)


class Edit(ABC):
    """One way to change a page. The name is the class's, in lower case with underscores."""

    doses: ClassVar[tuple[int, ...]] = (1,)

    @property
    def name(self) -> str:
        """The name in every artifact, derived from the class."""
        return "".join(f"_{c.lower()}" if c.isupper() else c for c in type(self).__name__).lstrip("_")

    @abstractmethod
    def block(self, target: Target, rng: random.Random) -> str:
        """What is added once."""

    def fresh(self, target: Target, dose: int, rng: random.Random) -> tuple[str, ...]:
        """As many blocks that differ; the same again from an edit that has only one, as stuffing has."""
        return (self.block(target, rng),) * dose

    def apply(self, target: Target, *, dose: int = 1, seed: int = 0, arm: str = REPEAT) -> Edited:
        """The page followed by `dose` blocks: the same one each time (the paper's arm), or a fresh one each time."""
        rng = self._rng(target, seed)
        blocks = self.fresh(target, dose, rng) if arm == FRESH else (self.block(target, rng),) * dose
        return Edited(target.separator.join((target.text, *blocks)), blocks)

    def _rng(self, target: Target, seed: int) -> random.Random:
        key = f"{seed}|{self.name}|{target.digest}"
        return random.Random(int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big"))


class Phrased(Edit):
    """An edit whose blocks come from the phrase book, written around the page's topic words."""

    def block(self, target: Target, rng: random.Random) -> str:
        return self.fresh(target, 1, rng)[0]

    def fresh(self, target: Target, dose: int, rng: random.Random) -> tuple[str, ...]:
        return phrasebook.load(target.language).blocks(self.name, dose, target.topics, rng)
