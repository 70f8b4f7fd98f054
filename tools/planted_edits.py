"""Edits with a bug planted in them, the condition that stops each, and what each would do to the figures."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from steelyard import languages
from steelyard.lab.edits import BY_NAME, EDITS, phrasebook
from steelyard.lab.edits.base import REPEAT, Edit, EditedPage, Target
from steelyard.lab.edits.controls.fillers import NeutralFiller
from steelyard.lab.edits.controls.own_words import Duplication, KeywordStuffing
from steelyard.lab.edits.levers import Quotation
from steelyard.lab.edits.phrasebook import split_words
from steelyard.lab.protocol.variants import DUPLICATION, MAX_DOSE, OPEN, STUFFING, variant_name

COMMON = 4511  # words of more than three letters among the 5,000 most frequent English ones


@cache
def common_words() -> list[str]:
    """Return the most frequent English words of more than three letters, most frequent first."""
    table = resources.files("steelyard.languages").joinpath("en", "frequencies.txt").read_text("utf-8")
    pairs = (line.split() for line in table.split("\n"))
    ranked = sorted((-int(zipf), word) for word, zipf in pairs if len(word) > 3)
    return [word for _, word in ranked[:COMMON]]


class Planted(Edit):
    """An edit with a bug in it, under the name of the edit it stands for."""

    @property
    def name(self) -> str:
        return next(edit.name for edit in EDITS if isinstance(self, type(edit)))


class LetterNoise(Planted, KeywordStuffing):
    """The paper's bug: the finished string joined once more, so that every letter stands alone."""

    def write_block(self, target: Target, rng: random.Random) -> str:
        return " ".join(super().write_block(target, rng))


class MeasuredLetterNoise(Planted, KeywordStuffing):
    """The same with as many letters as the other blocks have words: no count of words can tell."""

    def write_block(self, target: Target, rng: random.Random) -> str:
        letters = [c for c in super().write_block(target, rng) if c.isalpha()]
        return " ".join(letters[: phrasebook.load(target.language).block_words])


class ShortFiller(Planted, NeutralFiller):
    """Two sentences in place of three: what is compared with the filler is longer than it."""

    def write_block(self, target: Target, rng: random.Random) -> str:
        words = super().write_block(target, rng).split()
        return " ".join(words[: len(words) * 2 // 3])


class FillerWithStatistics(Planted, NeutralFiller):
    """The last sentence is one of the statistics: the filler is a lever itself."""

    def write_block(self, target: Target, rng: random.Random) -> str:
        words = super().write_block(target, rng).split()
        lever = BY_NAME["statistics"].write_block(target, rng).split()
        kept = len(words) * 2 // 3
        return " ".join(words[:kept] + lever[kept:])


class FillerWithNames(Planted, NeutralFiller):
    """The page's topic words, two by two and in capitals, at the end of it: to an entity pattern they are names."""

    def write_block(self, target: Target, rng: random.Random) -> str:
        topics = [topic.capitalize() for topic in target.topics]
        verb = "sagt " if languages.capitalises_nouns(target.language) else ""
        names = [f"{verb}{first} {second}" for first, second in zip(topics[::2], topics[1::2], strict=False)]
        words = super().write_block(target, rng).split()
        return " ".join([*words[: -len(" ".join(names).split())], ", ".join(names) + "."])


class DictionaryStuffing(Planted, KeywordStuffing):
    """Words, but not the page's: what is punished is no longer repetition."""

    def write_block(self, target: Target, rng: random.Random) -> str:
        own = set(split_words(target.text))
        others = [word for word in common_words() if word not in own]
        return " ".join(rng.sample(others, phrasebook.load(target.language).block_words)).capitalize() + "."


class SilentQuotation(Planted, Quotation):
    """The sentences of another edit under the lever's name."""

    def write_block(self, target: Target, rng: random.Random) -> str:
        return BY_NAME["neutral_filler"].write_block(target, rng)


class HalfDuplication(Planted, Duplication):
    """The first half of the page once more."""

    def write_block(self, target: Target, rng: random.Random) -> str:
        words = target.text.split(" ")
        return " ".join(words[: len(words) // 2])


class EndReplaced(Planted):
    """The blocks stand in place of the last words of the page, so that no edited page is longer than it was."""

    def apply(self, target: Target, *, dose: int = 1, seed: int = 0, arm: str = REPEAT) -> EditedPage:
        blocks = super().apply(target, dose=dose, seed=seed, arm=arm).blocks
        added = sum(len(block.split()) for block in blocks)
        kept = target.text.split(" ")[:-added]
        return EditedPage(target.separator.join((" ".join(kept), *blocks)), blocks)


class DoseIgnored(Planted):
    """One block whatever the dose."""

    def apply(self, target: Target, *, dose: int = 1, seed: int = 0, arm: str = REPEAT) -> EditedPage:
        return super().apply(target, dose=1, seed=seed, arm=arm)


class Glued(Planted):
    """No space before a block."""

    def apply(self, target: Target, *, dose: int = 1, seed: int = 0, arm: str = REPEAT) -> EditedPage:
        blocks = super().apply(target, dose=dose, seed=seed, arm=arm).blocks
        return EditedPage("".join((target.text, *blocks)), blocks)


def everywhere(bug: Any, names: Sequence[str]) -> tuple[Planted, ...]:
    """A bug of what all edits share, in each of those named."""
    return tuple(type(f"{bug.__name__}In{type(BY_NAME[n]).__name__}", (bug, type(BY_NAME[n])), {})() for n in names)


APPENDING = tuple(edit.name for edit in EDITS if edit.name not in (DUPLICATION, *OPEN))


@dataclass(frozen=True)
class Bug:
    """What is planted, the condition that stops it, and what it does when nothing does.

    `figure` moves by `least` or more (downwards when it is negative, either way when it is 0); `overturns` names a
    gate the shipped score passes without the bug and no longer with it.
    """

    name: str
    edits: tuple[Planted, ...]
    condition: str
    figure: str
    least: float
    overturns: str | None = None

    @property
    def about(self) -> str:
        kind = next(c for c in type(self.edits[0]).__mro__ if c.__doc__)
        return (kind.__doc__ or "").strip()


_KEPT = "the original is not kept as it was"
_STRANGE = "is neither a word of the page nor of the phrase book"
_MAX_STUFFING = variant_name(STUFFING, MAX_DOSE)
BUGS = (
    Bug("letter noise", (LetterNoise(),), "words at dose 1, not 1 x 72", _MAX_STUFFING, 3.0),
    Bug("letter noise of equal volume", (MeasuredLetterNoise(),), _STRANGE, _MAX_STUFFING, 6.0, "negative-control"),
    Bug("dictionary words for keywords", (DictionaryStuffing(),), _STRANGE, _MAX_STUFFING, 6.0, "negative-control"),
    Bug(
        "stuffing without its dose",
        everywhere(DoseIgnored, (STUFFING,)),
        "it added 72 words at dose 8, not 8 x 72",
        _MAX_STUFFING,
        6.0,
        "negative-control",
    ),
    Bug(
        "every edit without its dose",
        everywhere(DoseIgnored, APPENDING),
        "it added 72 words at dose 2, not 2 x 72",
        _MAX_STUFFING,
        4.0,
    ),
    Bug("short filler", (ShortFiller(),), "it added 48 words at dose 1, not 1 x 72", _MAX_STUFFING, -0.5),
    Bug("filler with a statistic", (FillerWithStatistics(),), "holds a match of statistic", "statistics-1", -2.0),
    Bug("filler with names", (FillerWithNames(),), "holds a match of entity", "quotation-1", -0.3),
    Bug(
        "a lever without its evidence",
        (SilentQuotation(),),
        "holds 0 different matches of quotable, not 3",
        "quotation-1",
        -5.0,
        "saturation",
    ),
    Bug("the end replaced", everywhere(EndReplaced, APPENDING), _KEPT, _MAX_STUFFING, 5.0, "negative-control"),
    Bug("half a duplication", (HalfDuplication(),), "what was added is not the page itself", "duplication", 1.0),
    Bug("blocks without a space", everywhere(Glued, APPENDING), _KEPT, "technical_terms-1", 0.0),
)
