"""A text that was made from another, with the way back to the offsets of the other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class View:
    """A text made of runs of the source; `view_starts` and `source_starts` say where each run begins in both."""

    text: str
    view_starts: Sequence[int] = (0,)
    source_starts: Sequence[int] = (0,)

    def source_offset(self, offset: int) -> int:
        """Return the offset in the source of the character at `offset` of the view."""
        run = bisect_right(self.view_starts, offset) - 1
        return self.source_starts[run] + offset - self.view_starts[run]

    def view_offset(self, offset: int) -> int:
        """Return the offset in the view of the source's `offset`, or of what follows it when it is not shown."""
        run = bisect_right(self.source_starts, offset) - 1
        if run < 0:
            return 0
        end = self.view_starts[run + 1] if run + 1 < len(self.view_starts) else len(self.text)
        return min(end, self.view_starts[run] + offset - self.source_starts[run])

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the half-open span of the source from the first to the last character of a span of the view."""
        if end <= start:
            at = self.source_offset(start)
            return at, at
        return self.source_offset(start), self.source_offset(end - 1) + 1

    def split_lines(self, source: str, start: int, end: int) -> list[tuple[str, tuple[int, int]]]:
        """Return the lines that the source has for a span of the view, each with its part of the span."""
        at, last = self.source_span(start, end)
        lines = source[at:last].split("\n")
        edges = [start]
        for line in lines[:-1]:
            at += len(line) + 1
            edges.append(self.view_offset(at))
        return list(zip(lines, pairwise([*edges, end]), strict=True))


class ViewBuilder:
    """Collects pieces of the source in order; `length` is the length of the view so far."""

    __slots__ = ("_pieces", "_source", "_source_starts", "_view_starts", "length")

    def __init__(self, source: str) -> None:
        self._source = source
        self._pieces: list[str] = []
        self._view_starts: list[int] = []
        self._source_starts: list[int] = []
        self.length = 0

    def text_since(self, length: int) -> str:
        """Return what was added after the view had this length."""
        added: list[str] = []
        for piece, at in zip(reversed(self._pieces), reversed(self._view_starts), strict=True):
            if at < length:
                break
            added.append(piece)
        return "".join(reversed(added))

    def keep(self, start: int, end: int) -> None:
        """Copy the source from `start` to `end`."""
        if end > start:
            self.put(self._source[start:end], start)

    def put(self, text: str, at: int) -> None:
        """Add `text` in place of what begins at `at` in the source."""
        self._pieces.append(text)
        self._view_starts.append(self.length)
        self._source_starts.append(at)
        self.length += len(text)

    def build(self) -> View:
        """Return the view."""
        return View("".join(self._pieces), self._view_starts or [0], self._source_starts or [0])
