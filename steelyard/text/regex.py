"""The regex engine: the one place that runs patterns, with the same spans whichever library does the work.

Patterns are written in the dialect that Python `re`, RE2 and Rust's regex share (see `languages/dialect.py`).
A pattern has at most one capturing group. If it has one, the group is the span, and the search continues
at the group's end, so that the boundary after it can start the next match.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

from steelyard.text.characters import lower

try:
    import re2
except ImportError:  # no wheel for this platform: the patterns are written to be safe under `re` too
    re2 = None


_Searcher = tuple[Callable[[Any, int], Any], int]  # search(data, position), and the group that is the span


class Hit(NamedTuple):
    """One match: the pattern's index in its set and a half-open span in code points."""

    pattern: int
    start: int
    end: int


class Refusal(NamedTuple):
    """Words that undo a match, as its first word or anywhere in it; the dialect has no lookahead for this."""

    first: frozenset[str]
    anywhere: frozenset[str]


# RE2 reads `[Kk]` as a k of either case, and beside other letters, as in `[Kk]|M`, as all that folds to k. Of the
# ASCII letters two have more than their other case: k the Kelvin sign (U+212A), s the long s (U+017F).
_FOLDED = {f"[{a}{b}]": f"(?:{a}|{b})" for a, b in ("Kk", "kK", "Ss", "sS")}


def keep_letters(pattern: str) -> str:
    """Write a pattern so that RE2 takes a class of one letter in both cases for these two characters alone."""
    for folded, kept in _FOLDED.items():
        pattern = pattern.replace(folded, kept)  # never part of a longer class: the dialect has no `[` inside one
    return pattern


def _compile_re2(pattern: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = 64 << 20  # the default 8 MiB makes counted repeats fall back to the slow NFA
    return re2.compile(keep_letters(pattern), options)


ENGINES: dict[str, Callable[[str], Any]] = {"re": partial(re.compile, flags=re.ASCII)}
if re2 is not None:
    ENGINES["re2"] = _compile_re2
DEFAULT = "re2" if "re2" in ENGINES else "re"


class Subject:
    """A text to be searched many times; it is encoded at most once."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def encoded(self) -> bytes:
        """The text as UTF-8."""
        return self.text.encode("utf-8")


class PatternSet:
    """An ordered set of patterns that are searched together.

    `refused` holds, by pattern index, the lower-case words that undo a match.
    """

    def __init__(
        self, patterns: Sequence[str], engine: str = DEFAULT, refused: Mapping[int, Refusal] | None = None
    ) -> None:
        self._searches_bytes = engine == "re2"
        self._refused = refused or {}
        self._patterns = patterns
        self._compile = ENGINES[engine]
        self._searchers: list[_Searcher | None] = [None] * len(patterns)

    def _get_searcher(self, index: int) -> _Searcher:
        """Compile a pattern when it is first searched; most pages need few of them."""
        searcher = self._searchers[index]
        if searcher is None:
            compiled = self._compile(self._patterns[index])
            searcher = self._searchers[index] = (compiled.search, 1 if compiled.groups else 0)
        return searcher

    def find_all(self, subject: Subject, possible: Sequence[bool] | None = None) -> list[Hit]:
        """Return all matches, sorted by (start, end, pattern); `possible` says which patterns are searched."""
        data: str | bytes = subject.encoded if self._searches_bytes else subject.text
        hits = [
            Hit(index, start, end)
            for index in range(len(self._patterns))
            if possible is None or possible[index]
            for start, end in _find_spans(self._get_searcher(index), data)
        ]
        if isinstance(data, bytes) and len(data) != len(subject.text):
            hits = _to_code_points(hits, data)
        if self._refused:
            hits = [h for h in hits if h.pattern not in self._refused or not self._is_refused(h, subject.text)]
        hits.sort(key=lambda h: (h.start, h.end, h.pattern))
        return hits

    def _is_refused(self, hit: Hit, text: str) -> bool:
        words = [w.strip('"“«(*_,') for w in lower(text[hit.start : hit.end]).split()]
        refusal = self._refused[hit.pattern]
        return bool(words) and (words[0] in refusal.first or not refusal.anywhere.isdisjoint(words))


def _find_spans(searcher: _Searcher, data: str | bytes) -> Iterator[tuple[int, int]]:
    """Yield the spans of one pattern, left to right; they are never empty and never overlap."""
    search, group = searcher
    position = 0
    while (match := search(data, position)) is not None:
        start, end = match.span(group)
        if start < 0 or end <= start:  # the group took no part, or the match is empty: step over it
            position = max(position + 1, match.end())
            continue
        yield start, end
        position = end


def _to_code_points(hits: list[Hit], data: bytes) -> list[Hit]:
    """Turn byte offsets into code points in one pass over the data."""
    offsets = sorted({o for h in hits for o in (h.start, h.end)})
    point: dict[int, int] = {}
    last = total = 0
    for offset in offsets:
        total += len(data[last:offset].decode("utf-8", "replace"))
        point[offset] = total
        last = offset
    return [Hit(h.pattern, point[h.start], point[h.end]) for h in hits]
