"""A page as the detectors see it: its words with their places, made once."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from functools import cache, cached_property
from itertools import pairwise

from steelyard import languages
from steelyard.text.document import Document

_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*|[$€£]?[0-9][0-9.,:/]*%?")
EVIDENCE = ("quotable", "statistic", "citation")


@cache
def lexicon(language: str) -> dict[str, frozenset[str]]:
    """The detectors' word lists of a language."""
    return {name: frozenset(words.split()) for name, words in languages.read_toml(language, "detectors.toml").items()}


class Examined:
    """The words of a document's reading text, and what several detectors need of them."""

    def __init__(self, doc: Document) -> None:
        self.doc = doc
        found = list(_WORD.finditer(doc.text))
        self.spans = [m.span() for m in found]
        self.shown = [m[0] for m in found]
        self.words = [w.lower() for w in self.shown]
        self.lists = lexicon(doc.language.code)

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each word stands on the page."""
        return Counter(self.words)

    @cached_property
    def function(self) -> list[bool]:
        """Which words are function words."""
        functions = self.functions
        return [w in functions for w in self.words]

    @cached_property
    def functions(self) -> frozenset[str]:
        """The function words of the page; "c'était" is two of them."""
        stop = self.doc.language.stop
        joint = {w for w in self.counts if "'" in w and all(part in stop for part in w.split("'"))}
        return frozenset(joint.union(stop.intersection(self.counts)))

    @cached_property
    def joined(self) -> list[bool]:
        """Which words are followed by a space and the next one, and no mark in between."""
        text, spans = self.doc.text, self.spans
        return [text[a[1] : b[0]] == " " for a, b in pairwise(spans)] + [False]

    @cached_property
    def sentences(self) -> list[tuple[int, int]]:
        """Half-open ranges of word numbers, one per segment that holds words."""
        ranges = []
        at = 0
        for _, end in self.doc.segments:
            first = at
            while at < len(self.spans) and self.spans[at][0] < end:
                at += 1
            if at > first:
                ranges.append((first, at))
        return ranges

    @cached_property
    def evidence(self) -> list[int]:
        """The numbers of the words at which a quotation, statistic or citation begins, each place once."""
        starts = [start for start, _ in self.spans]
        found = {bisect_right(starts, m.start) - 1 for family in EVIDENCE for m in self.doc.find(family)}
        return sorted(max(0, at) for at in found) if starts else []

    def holds_evidence(self, first: int, last: int) -> bool:
        """Whether evidence begins in a range of words."""
        at = bisect_left(self.evidence, first)
        return at < len(self.evidence) and self.evidence[at] < last

    def span(self, first: int, last: int) -> tuple[int, int]:
        """From the start of a word to the end of another, in the reading text."""
        return self.spans[first][0], self.spans[last][1]


def densest(marks: Sequence[bool], width: int) -> tuple[int, int]:
    """(most marks in a window of `width`, where it starts); the whole when it is shorter."""
    inside = best = sum(marks[:width])
    at = 0
    for i in range(width, len(marks)):
        inside += marks[i] - marks[i - width]
        if inside > best:
            best, at = inside, i - width + 1
    return best, at
