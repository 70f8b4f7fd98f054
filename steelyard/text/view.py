"""The reading view: what a reader sees of a page, with the way back to the file's own offsets."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence


class View:
    """A text made of runs of the source; `source_span` leads back."""

    __slots__ = ("_from", "_to", "text")

    def __init__(self, text: str, view_starts: Sequence[int], source_starts: Sequence[int]) -> None:
        self.text = text
        self._from = view_starts
        self._to = source_starts

    def source_offset(self, offset: int) -> int:
        """The code point of the source that stands at `offset` of the view."""
        run = bisect_right(self._from, offset) - 1
        return self._to[run] + offset - self._from[run]

    def view_offset(self, offset: int) -> int:
        """Where the source's `offset` stands in the view, or the place of what follows it when it is not shown."""
        run = bisect_right(self._to, offset) - 1
        if run < 0:
            return 0
        end = self._from[run + 1] if run + 1 < len(self._from) else len(self.text)
        return min(end, self._from[run] + offset - self._to[run])

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """The half-open span of the source from the first to the last character of the view's span."""
        if end <= start:
            at = self.source_offset(start)
            return at, at
        return self.source_offset(start), self.source_offset(end - 1) + 1


class ViewBuilder:
    """Collects pieces of the source in order."""

    __slots__ = ("_from", "_length", "_pieces", "_source", "_to")

    def __init__(self, source: str) -> None:
        self._source = source
        self._pieces: list[str] = []
        self._from: list[int] = []
        self._to: list[int] = []
        self._length = 0

    @property
    def length(self) -> int:
        return self._length

    def since(self, length: int) -> str:
        """What was placed after the view had this length."""
        back: list[str] = []
        for piece, at in zip(reversed(self._pieces), reversed(self._from), strict=True):
            if at < length:
                break
            back.append(piece)
        return "".join(reversed(back))

    def keep(self, start: int, end: int) -> None:
        """Take the source from `start` to `end` as it is."""
        if end > start:
            self._place(self._source[start:end], start)

    def put(self, text: str, at: int) -> None:
        """Put `text` (one character) where the source has something else that begins at `at`."""
        self._place(text, at)

    def _place(self, piece: str, at: int) -> None:
        self._pieces.append(piece)
        self._from.append(self._length)
        self._to.append(at)
        self._length += len(piece)

    def view(self) -> View:
        return View("".join(self._pieces), self._from or [0], self._to or [0])
