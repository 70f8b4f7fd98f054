"""The Attack contract: a page made to look better than it is, deterministic in (page, strength, seed, donors)."""

from __future__ import annotations

import math
import random
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from steelyard.errors import SteelyardError, UnknownName
from steelyard.lab.edits.attacks.texts import AttackTexts, load_texts, load_vocabulary
from steelyard.lab.edits.base import PageChange, Target
from steelyard.lab.edits.phrasebook import split_words
from steelyard.lab.edits.postconditions import EditBroken
from steelyard.lab.edits.topics import TooLittleText, compose

LIGHT, HEAVY = "light", "heavy"
STRENGTHS = (LIGHT, HEAVY)
SHARES = {LIGHT: 0.12, HEAVY: 0.60}  # words added, as a share of the page's own words
MIN_SHARE = {LIGHT: 0.10, HEAVY: 0.50}
MAX_SHARE = {LIGHT: 0.15, HEAVY: 0.70}  # where an attack that chooses whole sentences stops
MIN_WORDS = 40  # with fewer, no whole sentence is between 10% and 15% of the page


class NoDonors(SteelyardError):
    """An attack that takes sentences from other pages was given too few of them."""

    def __init__(self, attack: str, number: int, needed: int) -> None:
        super().__init__(f"{attack} needs {needed} words of other pages and found {number}; give it more donors")


@dataclass(frozen=True)
class Job:
    """One application of an attack: the page, the strength, the random draws, and how many words it may add."""

    target: Target
    strength: str
    rng: random.Random
    donors: tuple[str, ...] = ()

    @cached_property
    def page_words(self) -> int:
        return len(self.target.text.split())

    @property
    def wanted_words(self) -> int:
        return round(SHARES[self.strength] * self.page_words)

    @property
    def min_words(self) -> int:
        return math.ceil(MIN_SHARE[self.strength] * self.page_words)

    @property
    def max_words(self) -> int:
        return int(MAX_SHARE[self.strength] * self.page_words)

    @property
    def texts(self) -> AttackTexts:
        return load_texts(self.target.language)

    def fill(self, template: str, pair: Sequence[str] = ("", "")) -> str:
        """Fill a template of the attacks; {topic} and {other} are the pair, two words of the page."""
        return self.texts.fill(template, self.rng, pair)

    def fill_with_topics(self, template: str) -> str:
        """Fill a template of the attacks; {topic} and {other} are two of the page's topic words."""
        return self.fill(template, self.draw_pair(self.target.topics))

    def draw_pair(self, words: Sequence[str]) -> list[str]:
        return self.rng.sample(words, 2)

    def draw_endlessly(self, items: Sequence[str]) -> Iterator[str]:
        """Yield the items for ever, each time round in another order, none again before all were used."""
        while True:
            yield from self.rng.sample(items, len(items))

    def draw_texts(self, section: str, name: str) -> Iterator[str]:
        """Yield the texts of one list for ever, in the same way."""
        return self.draw_endlessly(self.texts.lists[section][name])

    def is_within_bounds(self, share: float) -> bool:
        """Tell whether a share of the page's words fits the strength; a heavy attack has no upper bound."""
        return MIN_SHARE[self.strength] <= share and (self.strength == HEAVY or share <= MAX_SHARE[self.strength])


class Attack(PageChange, ABC):
    """One way to game a score."""

    family: ClassVar[str]
    adds_words: ClassVar[bool] = True  # and keeps every word of the page, in order
    needs_donors: ClassVar[bool] = False

    @abstractmethod
    def rewrite(self, job: Job) -> str:
        """Return the whole page after the attack."""

    def remove_disguise(self, text: str) -> str:
        """Return the text as the conditions compare it; most attacks use no disguise."""
        return text

    def find_fault(self, job: Job, text: str) -> str | None:
        """Return what is wrong with the result of this attack, apart from the conditions all attacks share."""
        return None

    def apply(self, target: Target, strength: str, *, seed: int = 0, donors: Sequence[str] = ()) -> str:
        """Return the attacked page when all conditions hold.

        Raises:
            TooLittleText: The page has too few words of its own.
            NoDonors: The attack needs more sentences of other pages.
            EditBroken: The attack did not do what it promises.
        """
        if strength not in STRENGTHS:
            raise UnknownName("strength of attacks", strength, STRENGTHS)
        load_texts(target.language)
        target.keywords  # noqa: B018 - refuses a page without enough of them
        job = Job(target, strength, self.seed_rng(target, seed, strength), tuple(donors))
        require_words(job.page_words)
        text = self.rewrite(job)
        fault = self.find_fault(job, text) or self._find_common_fault(job, text)
        if fault:
            raise EditBroken(self.name, fault)
        return text

    def _find_common_fault(self, job: Job, text: str) -> str | None:
        """Check how much was added, that the page is still there, and that no word is broken."""
        added = len(text.split()) - job.page_words
        if not self.adds_words:
            return f"it says that it adds nothing and added {added} words" if added else None
        share = added / job.page_words
        if not job.is_within_bounds(share):
            return f"it added {share:.3f} of the page's words, which is not {job.strength}"
        before, after = self.remove_disguise(job.target.text), self.remove_disguise(text)
        if not is_subsequence(before.split(), after.split()):
            return "a word of the page is lost, changed or moved"
        pages = (before, compose(job.target.text), *(job.donors if self.needs_donors else ()))
        known = {word for page in pages for word in split_words(page)} | load_vocabulary(job.target.language)
        unknown = set(split_words(after)) - known
        return f"{min(unknown)!r} is neither a word of the pages nor of the attacks' own texts" if unknown else None


def require_words(number: int) -> None:
    """Refuse a page of which no share is a whole sentence."""
    if number < MIN_WORDS:
        raise TooLittleText(number, "word", "an attack", MIN_WORDS)


def is_subsequence(words: list[str], among: list[str]) -> bool:
    """Tell whether all the words occur in the other list in their order, with anything between them."""
    rest = iter(among)
    return all(word in rest for word in words)
