"""The words of a page with their positions, computed once for all detectors."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from functools import cache, cached_property
from itertools import pairwise

from steelyard import languages
from steelyard.text.document import Document

_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*|[$€£]?[0-9][0-9.,:/]*%?")
EVIDENCE = ("quotable", "statistic", "citation")


@cache
def load_word_lists(language: str) -> dict[str, frozenset[str]]:
    """Load the detectors' word lists of a language."""
    return {name: frozenset(words.split()) for name, words in languages.read_toml(language, "detectors.toml").items()}


class PageWords:
    """The words of a document's reading text, and what several detectors need to know about them.

    A word is referred to by its number on the page, from 0. `words` are in lower case, `originals` as written.
    """

    def __init__(self, doc: Document) -> None:
        self.doc = doc
        matches = list(_WORD.finditer(doc.text))
        self.spans = [m.span() for m in matches]
        self.originals = [m[0] for m in matches]
        self.words = [w.lower() for w in self.originals]
        self.lists = load_word_lists(doc.language.code)

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each word occurs on the page."""
        return Counter(self.words)

    @cached_property
    def function_words(self) -> frozenset[str]:
        """The function words of the page; "c'était" is two of them."""
        stop = self.doc.language.stop
        joint = {w for w in self.counts if "'" in w and all(part in stop for part in w.split("'"))}
        return frozenset(joint.union(stop.intersection(self.counts)))

    @cached_property
    def is_function_word(self) -> list[bool]:
        """For each word, whether it is a function word."""
        function_words = self.function_words
        return [w in function_words for w in self.words]

    @cached_property
    def is_joined(self) -> list[bool]:
        """For each word, whether only a space separates it from the next one."""
        text, spans = self.doc.text, self.spans
        return [text[a[1] : b[0]] == " " for a, b in pairwise(spans)] + [False]

    @cached_property
    def sentences(self) -> list[tuple[int, int]]:
        """Half-open ranges of word numbers, one per segment that contains words."""
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
        """The numbers of the words at which a quotation, statistic or citation begins, sorted, each once."""
        starts = [start for start, _ in self.spans]
        numbers = {bisect_right(starts, m.start) - 1 for family in EVIDENCE for m in self.doc.find(family)}
        return sorted(max(0, at) for at in numbers) if starts else []

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Return the span of the reading text from the start of one word to the end of another."""
        return self.spans[first][0], self.spans[last][1]


def find_densest_window(marks: Sequence[bool], width: int) -> tuple[int, int]:
    """Return the most marks in any window of `width`, and where the first such window starts."""
    inside = best = sum(marks[:width])
    at = 0
    for i in range(width, len(marks)):
        inside += marks[i] - marks[i - width]
        if inside > best:
            best, at = inside, i - width + 1
    return best, at
