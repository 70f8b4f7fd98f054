"""The Attack contract: a page made to look better than it is, deterministic in (page, strength, seed, donors)."""

from __future__ import annotations

import hashlib
import math
import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from steelyard.errors import SteelyardError, UnknownName
from steelyard.lab.edits.attacks import conditions, material
from steelyard.lab.edits.base import Target
from steelyard.lab.edits.topics import TooLittleText
from steelyard.support.wording import counted

LIGHT, HEAVY = "light", "heavy"
STRENGTHS = (LIGHT, HEAVY)
SHARES = {LIGHT: 0.12, HEAVY: 0.60}  # words added, as a share of the page's own words
BOUNDS = {LIGHT: (0.10, 0.15), HEAVY: (0.50, 0.70)}  # where an attack that chooses whole sentences may end
FEWEST_WORDS = 40  # with fewer, no whole sentence is between 10% and 15% of the page


class TooFewWords(TooLittleText):
    """The page is too short for a share of it to be a sentence."""

    def __init__(self, found: int) -> None:
        SteelyardError.__init__(
            self,
            f"the page has {counted(found, 'word')} and an attack needs {FEWEST_WORDS}; leave such short pages out",
        )


class NoDonors(SteelyardError):
    """An attack that takes sentences from other pages was given too few of them."""

    def __init__(self, attack: str, found: int, needed: int) -> None:
        super().__init__(f"{attack} needs {needed} words of other pages and found {found}; give it more donors")


@dataclass(frozen=True, slots=True)
class Attacked:
    """The attacked text, and how many whitespace words of source it has more than before."""

    text: str
    added_words: int
    note: str = ""


@dataclass(frozen=True)
class Job:
    """One application: the page, the strength, the draws, and how many words the attack may add."""

    target: Target
    strength: str
    rng: random.Random
    donors: tuple[str, ...] = ()

    @cached_property
    def words(self) -> int:
        return len(self.target.text.split())

    @property
    def aim(self) -> int:
        return round(SHARES[self.strength] * self.words)

    @property
    def least(self) -> int:
        return math.ceil(BOUNDS[self.strength][0] * self.words)

    @property
    def most(self) -> int:
        return int(BOUNDS[self.strength][1] * self.words)

    def pair(self, words: Sequence[str]) -> list[str]:
        """Two different ones."""
        return self.rng.sample(words, 2)

    @property
    def material(self) -> material.Material:
        return material.load(self.target.language)


class Attack(ABC):
    """One way to game a score. The name is the class's, in lower case with underscores."""

    family: ClassVar[str]
    described: ClassVar[bool] = False  # in the paper's benchmark
    seeded: ClassVar[bool] = True  # another seed is another text
    adds: ClassVar[bool] = True  # words are added and every word of the page stays, in order
    needs_donors: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """The name in every artifact, derived from the class."""
        return "".join(f"_{c.lower()}" if c.isupper() else c for c in type(self).__name__).lstrip("_")

    @abstractmethod
    def attacked(self, job: Job) -> str:
        """The whole page after the attack."""

    def plain(self, text: str) -> str:
        """The text with the attack's disguise taken off, for the conditions; most attacks wear none."""
        return text

    def broken(self, job: Job, text: str) -> str | None:
        """What should hold of this attack alone, beside its share and the words it keeps, and does not."""
        return None

    def noted(self, job: Job, text: str) -> str:
        """What the number of added words does not say."""
        return ""

    def apply(self, target: Target, strength: str, *, seed: int = 0, donors: Sequence[str] = ()) -> Attacked:
        """The attacked page, all conditions checked; TooLittleText for a page without enough words of its own."""
        if strength not in SHARES:
            raise UnknownName("strength of attacks", strength, STRENGTHS)
        material.load(target.language)
        target.keywords  # noqa: B018 - refuses a page without enough of them
        job = Job(target, strength, self._rng(target, strength, seed), tuple(donors))
        if job.words < FEWEST_WORDS:
            raise TooFewWords(job.words)
        text = self.attacked(job)
        conditions.check(self, job, text)
        return Attacked(text, len(text.split()) - job.words, self.noted(job, text))

    def _rng(self, target: Target, strength: str, seed: int) -> random.Random:
        key = f"{seed}|{self.name}|{strength}|{target.digest}"
        return random.Random(int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big"))
