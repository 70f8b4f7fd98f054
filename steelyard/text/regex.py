"""The regex engine: one place that runs patterns, whatever library is under it, with the same spans.

Patterns are written in the dialect that Python `re`, RE2 and Rust's regex share (see `packs/dialect.py`).
A pattern has at most one capturing group; when it has one, the group is the span, and the
search goes on at the group's end: what stands after it (a boundary) can start the next match.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

try:
    import re2
except ImportError:  # no wheel for this platform: the packs are written to be safe under `re` too
    re2 = None


Searcher = tuple[Callable[[Any, int], Any], int]  # search(data, position), and the group that is the span


class Hit(NamedTuple):
    """One match: the pattern's index in its set and a half-open span in code points."""

    pattern: int
    start: int
    end: int


class Refusal(NamedTuple):
    """What no lookahead can say in the dialect: a match that begins with, or holds, one of these words is none."""

    first: frozenset[str]
    anywhere: frozenset[str]


class Engine(Protocol):
    """Compiles patterns; `spans` yields the spans of one of them in a subject made by `subject`."""

    name: str

    def compile(self, pattern: str) -> Any: ...

    def subject(self, text: str) -> str | bytes: ...


class _Re:
    name = "re"

    @staticmethod
    def compile(pattern: str) -> re.Pattern[str]:
        return re.compile(pattern, re.ASCII)

    @staticmethod
    def subject(text: str) -> str:
        return text


class _Re2:
    name = "re2"

    @staticmethod
    def compile(pattern: str) -> Any:
        options = re2.Options()
        options.log_errors = False
        options.max_mem = 64 << 20  # the default 8 MiB makes counted repeats fall back to the slow NFA
        return re2.compile(pattern, options)

    @staticmethod
    def subject(text: str) -> bytes:
        return text.encode("utf-8")


ENGINES: dict[str, Engine] = {"re": _Re()}
if re2 is not None:
    ENGINES["re2"] = _Re2()
DEFAULT = "re2" if "re2" in ENGINES else "re"


class Subject:
    """A text ready to be searched many times; encodes once, and knows how to turn bytes back into code points."""

    __slots__ = ("_encoded", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._encoded: bytes | None = None

    def encoded(self) -> bytes:
        if self._encoded is None:
            self._encoded = self.text.encode("utf-8")
        return self._encoded


class PatternSet:
    """An ordered set of patterns that are searched together."""

    def __init__(
        self, patterns: Sequence[str], engine: str = DEFAULT, refused: Mapping[int, Refusal] | None = None
    ) -> None:
        """`refused`: by pattern index, the words (lower case) with which a match is none."""
        self._engine = ENGINES[engine]
        self._refused = refused or {}
        compiled = [self._engine.compile(p) for p in patterns]
        self._searchers: list[Searcher] = [(c.search, 1 if c.groups else 0) for c in compiled]

    def find_all(self, subject: Subject) -> list[Hit]:
        """All matches, sorted by (start, end, pattern)."""
        data: str | bytes = subject.encoded() if self._engine.name == "re2" else subject.text
        hits = [
            Hit(index, start, end)
            for index, searcher in enumerate(self._searchers)
            for start, end in _spans(searcher, data)
        ]
        if isinstance(data, bytes) and len(data) != len(subject.text):
            hits = _code_points(hits, data)
        if self._refused:
            hits = [h for h in hits if h.pattern not in self._refused or not self._refuses(h, subject.text)]
        hits.sort(key=lambda h: (h.start, h.end, h.pattern))
        return hits

    def _refuses(self, hit: Hit, text: str) -> bool:
        words = [w.strip('"“«(*_,') for w in text[hit.start : hit.end].lower().split()]
        refusal = self._refused[hit.pattern]
        return bool(words) and (words[0] in refusal.first or not refusal.anywhere.isdisjoint(words))


def _spans(compiled: Searcher, data: str | bytes) -> Iterator[tuple[int, int]]:
    """Spans of one pattern, left to right, never empty, never overlapping."""
    search, group = compiled
    position = 0
    while (match := search(data, position)) is not None:
        start, end = match.span(group)
        if start < 0 or end <= start:  # a group that took no part, or an empty match: step over it
            position = max(position + 1, match.end())
            continue
        yield start, end
        position = end


def _code_points(hits: list[Hit], data: bytes) -> list[Hit]:
    """Byte offsets turned into code points in one pass over the data."""
    offsets = sorted({o for h in hits for o in (h.start, h.end)})
    point: dict[int, int] = {}
    last = total = 0
    for offset in offsets:
        total += len(data[last:offset].decode("utf-8", "replace"))
        point[offset] = total
        last = offset
    return [Hit(h.pattern, point[h.start], point[h.end]) for h in hits]
