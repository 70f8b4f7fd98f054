"""What a detector is: it measures one statistic of a page's words, and a threshold turns it into a suspicion."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import pairwise
from typing import ClassVar

from steelyard import languages
from steelyard.components.quotable_density import FAMILIES as QUOTABLE
from steelyard.text.characters import LETTER, is_lower, is_upper, lower
from steelyard.text.document import Document

AT_THRESHOLD = 0.5
MOST_PLACES = 20  # that a detector points at
_WORD = re.compile(rf"{LETTER}+(?:['-]{LETTER}+)*|[$€£]?[0-9][0-9.,:/]*%?")
# A mark ends a sentence when white space follows: not inside "5.44%". A blank line ends one too.
_END = re.compile(r"[.!?…][\"”’')\]»*_]{0,3}\s|\n[ ]{0,9}\n")
EVIDENCE = (*QUOTABLE, "statistic", "citation")


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
        self.words = [lower(w) for w in self.originals]
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
        stop = self.doc.language.stop | self.lists["function"]
        joint = {w for w in self.counts if "'" in w and all(part in stop for part in w.split("'"))}
        return frozenset(joint.union(stop.intersection(self.counts)))

    @cached_property
    def is_function_word(self) -> list[bool]:
        """For each word, whether it is a function word."""
        function_words = self.function_words
        return [w in function_words for w in self.words]

    @cached_property
    def is_name(self) -> list[bool]:
        """For each word, whether it begins with a capital; where every noun does, whether it is part of a name."""
        if not languages.capitalises_nouns(self.doc.language.code):
            return [is_upper(word[0]) for word in self.originals]
        starts = [start for start, _ in self.spans]
        names = [(bisect_left(starts, m.start), bisect_left(starts, m.end)) for m in self.doc.find("entity")]
        named = {at for first, last in names for at in range(first, last)}
        return [at in named for at in range(len(self))]

    @cached_property
    def is_joined(self) -> list[bool]:
        """For each word, whether only a space separates it from the next one."""
        text, spans = self.doc.text, self.spans
        return [text[a[1] : b[0]] == " " for a, b in pairwise(spans)] + [False]

    @cached_property
    def sentences(self) -> list[tuple[int, int]]:
        """Half-open ranges of word numbers, one per sentence.

        No sentence ends after an abbreviation ("Tay et al.", "Dr."), an initial, or before a word in lower case: a
        survey of the literature would fall apart into hollow pieces.
        """
        ends = [m.start() for m in _END.finditer(self.doc.text)]
        starts = [start for start, _ in self.spans]
        numbers = sorted({bisect_right(starts, end) for end in ends} - {0, len(starts)})
        cuts = [0, *(at for at in numbers if self._can_end(at - 1)), len(starts)]
        return [(first, last) for first, last in pairwise(cuts) if last > first]

    def _can_end(self, at: int) -> bool:
        """Tell whether a sentence may end after this word."""
        between = self.doc.text[self.spans[at][1] : self.spans[at + 1][0]]
        if "\n\n" in between or "!" in between or "?" in between:
            return True
        word = self.words[at]
        is_short_form = len(word) == 1 or word in self.doc.language.lists["abbreviations"]
        return not is_short_form and not is_lower(self.originals[at + 1][0])

    @cached_property
    def evidence(self) -> list[int]:
        """The numbers of the words at which a quotation, statistic or citation begins, sorted, each once."""
        starts = [start for start, _ in self.spans]
        families = [family for family in EVIDENCE if family in self.doc.language.families]
        numbers = {bisect_right(starts, m.start) - 1 for family in families for m in self.doc.find(family)}
        return sorted(max(0, at) for at in numbers) if starts else []

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Return the span of the reading text from the start of one word to the end of another."""
        return self.spans[first][0], self.spans[last][1]


def find_best_run(values: Iterable[float]) -> tuple[float, int, int]:
    """Return the largest sum of consecutive values, and the half-open range that has it; zeros when none is above 0."""
    best, run, start = 0.0, 0.0, 0
    found = (0, 0)
    for at, value in enumerate(values):
        if run <= 0:
            run, start = 0.0, at
        run += value
        if run > best:
            best, found = run, (start, at + 1)
    return best, *found


@dataclass(frozen=True, slots=True)
class Measurement:
    """A detector's statistic (0 or more), the numbers behind it, and its places in the reading text or the source."""

    statistic: float
    parts: Mapping[str, float] = field(default_factory=dict)
    spans: tuple[tuple[int, int], ...] = ()
    in_source: tuple[tuple[int, int], ...] = ()  # hidden text has no place in the reading text


class Detector(ABC):
    """One kind of manipulation. Its name is that of the class, in lower case with underscores."""

    lowest_threshold: ClassVar[float]  # no threshold may be lower, whatever clean pages look like
    exponent: ClassVar[float] = 1.0  # applied before comparing detectors; above 1 it keeps usual values small

    @property
    def name(self) -> str:
        return "".join(f"_{c.lower()}" if c.isupper() else c for c in type(self).__name__).lstrip("_")

    @abstractmethod
    def measure(self, page: PageWords) -> Measurement:
        """Measure the statistic of one page."""


def suspicion(statistic: float, usual: float, threshold: float, exponent: float = 1.0) -> float:
    """Return 0 up to what is usual on clean pages, one half at the threshold, and more towards 1 beyond it."""
    if statistic <= usual:
        return 0.0
    start = usual**exponent
    beyond = statistic**exponent - start
    # The brackets make it one half to the last bit at the threshold: x / (x + x).
    return beyond / (beyond + (threshold**exponent - start)) if beyond > 0 else 0.0
