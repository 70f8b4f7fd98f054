"""Detectors measure one statistic of a page's words each, and a threshold turns it into a suspicion."""

from __future__ import annotations

import re
import sys
from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import pairwise
from operator import attrgetter
from typing import ClassVar

from steelyard import languages
from steelyard.components.quotable_density import FAMILIES as QUOTABLE
from steelyard.text.characters import LETTER, is_lower, is_upper, lower
from steelyard.text.document import Document
from steelyard.text.lines import Link, Span

AT_THRESHOLD = 0.5
MAX_PLACES = 20  # that a detector points at
MAX_PIECE = 400_000  # characters examined at a time; a word can take some hundred bytes
_WORD = re.compile(rf"{LETTER}+(?:['-]{LETTER}+)*|[$€£]?[0-9][0-9.,:/]*%?")
# A mark ends a sentence when white space follows: not inside "5.44%". A blank line ends one too.
_END = re.compile(r"[.!?…][\"”’')\]»*_]{0,3}\s|\n[ ]{0,9}\n")
EVIDENCE = (*QUOTABLE, "statistic", "citation")


@cache
def load_word_lists(language: str) -> dict[str, frozenset[str]]:
    """Load the detectors' word lists of a language."""
    return {name: frozenset(words.split()) for name, words in languages.read_toml(language, "detectors.toml").items()}


class PageWords:
    """The words of a document's reading text, or of a piece of it, with the properties that several detectors use.

    A word is referred to by its number in the piece, from 0. `words` are in lower case, `originals` as written. Spans
    are offsets into `text`, which begins at `offset` of the reading text; `source` is where it comes from.
    """

    def __init__(self, doc: Document, piece: Span | None = None) -> None:
        self.doc = doc
        self.offset, end = piece or (0, len(doc.text))
        self.text = doc.text[self.offset : end]
        self.source_span = self._find_source(end)
        self.spans = [m.span() for m in _WORD.finditer(self.text)]
        self.originals = [self.text[start:end] for start, end in self.spans]
        self.words = [lower(w) for w in self.originals]
        self.lists = load_word_lists(doc.language.code)

    def _find_source(self, end: int) -> Span:
        """Return the span of the source that the piece covers; all pieces together cover all of it."""
        source_offset = self.doc.structure.view.source_offset
        start = source_offset(self.offset) if self.offset else 0
        return start, source_offset(end) if end < len(self.doc.text) else len(self.doc.source.text)

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
        names = [(bisect_left(starts, start), bisect_left(starts, end)) for start, end in self._find("entity")]
        named = {at for first, last in names for at in range(first, last)}
        return [at in named for at in range(len(self))]

    @cached_property
    def is_joined(self) -> list[bool]:
        """For each word, whether only a space separates it from the next one."""
        text, spans = self.text, self.spans
        return [text[a[1] : b[0]] == " " for a, b in pairwise(spans)] + [False]

    @cached_property
    def sentences(self) -> list[tuple[int, int]]:
        """Half-open ranges of word numbers, one per sentence.

        No sentence ends after an abbreviation ("Tay et al.", "Dr."), an initial, or before a word in lower case: a
        survey of the literature would fall apart into hollow pieces.
        """
        starts = [start for start, _ in self.spans]
        numbers = sorted({bisect_right(starts, m.start()) for m in _END.finditer(self.text)} - {0, len(starts)})
        cuts = [0, *(at for at in numbers if self._can_end(at - 1)), len(starts)]
        return [(first, last) for first, last in pairwise(cuts) if last > first]

    def _can_end(self, at: int) -> bool:
        """Tell whether a sentence may end after this word."""
        between = self.text[self.spans[at][1] : self.spans[at + 1][0]]
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
        numbers = {bisect_right(starts, start) - 1 for family in families for start, _ in self._find(family)}
        return sorted(max(0, at) for at in numbers) if starts else []

    def _find(self, family: str) -> Iterator[Span]:
        """Yield the matches of a family that begin in the piece."""
        matches, offset = self.doc.find(family), self.offset
        first, last = (bisect_left(matches, at, key=attrgetter("start")) for at in (offset, offset + len(self.text)))
        return ((m.start - offset, m.end - offset) for m in matches[first:last])

    @property
    def hidden(self) -> tuple[Span, ...]:
        """The spans of the source that no reader sees and that begin in the piece."""
        hidden, (start, end) = self.doc.structure.hidden, self.source_span
        return hidden[bisect_left(hidden, (start, 0)) : bisect_left(hidden, (end, 0))]

    @property
    def links(self) -> Sequence[Link]:
        """The links that begin in the piece."""
        start, end = self.source_span
        return [link for link in self.doc.structure.links if start <= link.start < end]

    def span(self, first: int, last: int) -> Span:
        """Return the span of the text from the start of one word to the end of another."""
        return self.spans[first][0], self.spans[last][1]


def cut_pieces(length: int) -> list[Span]:
    """Return the pieces in which a text of some length is examined: as few as possible, of about the same length."""
    count = max(1, -(-length // MAX_PIECE))
    return list(pairwise(length * at // count for at in range(count + 1)))


def find_best_run(values: Iterable[float]) -> tuple[float, int, int]:
    """Return the largest sum of consecutive values, and the half-open range that has it; zeros when none is above 0."""
    best, run, start = 0.0, 0.0, 0
    best_range = (0, 0)
    for at, value in enumerate(values):
        if run <= 0:
            run, start = 0.0, at
        run += value
        if run > best:
            best, best_range = run, (start, at + 1)
    return best, *best_range


@dataclass(frozen=True, slots=True)
class Measurement:
    """A detector's statistic (0 or more), the numbers behind it, and its places in the page's text or the source."""

    statistic: float
    parts: Mapping[str, float] = field(default_factory=dict)
    spans: tuple[tuple[int, int], ...] = ()
    in_source: tuple[tuple[int, int], ...] = ()  # hidden text has no place in the reading text

    def move(self, offset: int) -> Measurement:
        """Return the same with places in a text that begins so many characters earlier."""
        return replace(self, spans=tuple((start + offset, end + offset) for start, end in self.spans))


class Detector(ABC):
    """One kind of manipulation. Its name is that of the class, in lower case with underscores."""

    lowest_threshold: ClassVar[float]  # no threshold may be lower, whatever clean pages look like
    exponent: ClassVar[float] = 1.0  # applied before comparing detectors; above 1 it keeps usual values small

    @property
    def name(self) -> str:
        return "".join(f"_{c.lower()}" if c.isupper() else c for c in type(self).__name__).lstrip("_")

    @property
    def about(self) -> str:
        """What it finds, in words: the first line of its file, without the name."""
        return (sys.modules[type(self).__module__].__doc__ or "").split("\n", maxsplit=1)[0].partition(": ")[2]

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
