"""Placement: where a page's content lies among reference pages of its edition, its language and about its length."""

from __future__ import annotations

import hashlib
import tomllib
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import NamedTuple

from steelyard.support.quantile import quantile

LENGTHS = (100, 250, 500, 1000)  # words from which a class of length begins; a shorter page has none
MIN_PAGES = 40  # of a class: with fewer, the 95% interval of a third is wider than 15 points to each side
THIRDS = {33: "about a third", 66: "about two thirds"}
POOR, FAIR, GOOD = "poor", "fair", "good"  # the thirds of the reference pages, by their content


def name_length(start: int) -> str:
    """Return the name of the class of length that begins with so many words."""
    end = next((length for length in LENGTHS if length > start), None)
    return f"{start:,} words or more" if end is None else f"{start:,} to {end - 1:,} words"


def find_length(words: int) -> int | None:
    """Return where the class of a page with so many words begins; None for a page that is too short for any."""
    at = bisect_right(LENGTHS, words)
    return LENGTHS[at - 1] if at else None


@dataclass(frozen=True, slots=True)
class Placement:
    """The share of comparable pages with less content; their number, name and hash; where their upper thirds begin."""

    share: float
    pages: int
    set: str
    hash: str
    fair_from: float
    good_from: float

    def rate(self, content: float) -> str:
        """Return the third of the comparable pages in which a content lies, as a word."""
        return GOOD if content >= self.good_from else FAIR if content >= self.fair_from else POOR

    def describe(self) -> str:
        """Return the placement in words; not rounded up, since no page is better than more than all."""
        percent = int(100 * self.share)
        among = f"all {self.pages}" if self.share == 1 else f"{percent}% of {self.pages}"
        if percent in THIRDS:  # where a percent more or less would be another rating
            among = f"{THIRDS[percent]} of {self.pages}"
        if percent == 0:
            among = f"{'less than 1%' if self.share else 'none'} of {self.pages}"
        return f"higher than {among} {self.set}"


class Comparable(NamedTuple):
    """The contents of reference pages of one length, sorted; what they are; and where their upper thirds begin."""

    contents: tuple[float, ...]
    name: str
    fair_from: float
    good_from: float


@dataclass(frozen=True, slots=True)
class Reference:
    """The reference pages of one edition and language, by where their class of length begins."""

    name: str
    lengths: Mapping[int, Comparable]
    hash: str

    def place(self, content: float, words: int) -> Placement | None:
        """Return where the content of a page with so many words lies; None where no set is comparable."""
        start = find_length(words)
        if start is None or start not in self.lengths:
            return None
        others, name, *thirds = self.lengths[start]
        return Placement(bisect_left(others, content) / len(others), len(others), name, self.hash, *thirds)


@cache
def load(edition: str, language: str) -> Reference | None:
    """Load the reference pages of an edition and language; None where there are none."""
    file = resources.files("steelyard.scoring").joinpath("references", f"{edition}-{language}.toml")
    if not file.is_file():
        return None
    data = file.read_bytes()
    table = tomllib.loads(data.decode())
    lengths = {}
    for row in table["lengths"]:
        contents, name = tuple(row["contents"]), f"{table['name']} of {name_length(row['from'])}"
        fair, good = (round(quantile(contents, at / 3), 1) for at in (1, 2))
        lengths[row["from"]] = Comparable(contents, name, fair, good)
    return Reference(table["name"], lengths, hashlib.sha256(data).hexdigest()[:16])


def place(edition: str, language: str, content: float, words: int) -> Placement | None:
    """Return where a page's content lies among comparable reference pages; None where there are none."""
    known = load(edition, language)
    return known.place(content, words) if known else None


def explain_absence(edition: str, language: str, words: int) -> str:
    """Say why a page has no placement."""
    start, known = find_length(words), load(edition, language)
    if start is None:
        return f"not compared with other pages, since it has under {LENGTHS[0]} words"
    if known is None:
        return "not compared with other pages, since there are no reference pages in its language"
    return f"not compared with other pages, since there are too few {known.name} of {name_length(start)}"
