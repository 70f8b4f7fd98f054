"""Open documents: their text, kept up to date by the client's edits, and the outcome of their last check."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field

from lsprotocol.types import Position, Range, TextDocumentContentChangeEvent, TextDocumentContentChangePartial

from steelyard.check.result import CheckedPage
from steelyard.pipeline import PageResult
from steelyard.text.positions import EditorLines, find_column, replace_half_pairs, split_lines


@dataclass(frozen=True, slots=True)
class CheckFailure:
    """Why a page could not be checked, and whether the configuration is the reason.

    `place` is the line and column from 0 that the reason is about, in a configuration file.
    """

    reason: str
    is_configuration: bool = False
    place: tuple[int, int] = (0, 0)


@dataclass(slots=True)
class CheckedText:
    """One version of a document with the outcome of its check; None if the configuration leaves the document out."""

    text: str
    editor_lines: EditorLines
    outcome: CheckedPage | CheckFailure | None
    result: PageResult | None = None  # computed for the first explanation

    def to_range(self, start: int, end: int) -> Range:
        """Return the range of a half-open span."""
        first, last = (Position(*self.editor_lines.line_column(offset)) for offset in (start, max(start, end)))
        return Range(first, last)

    def to_offset(self, position: Position) -> int:
        """Return the offset of a position."""
        return self.editor_lines.offset(position.line, position.character)


@dataclass(eq=False)
class Document:
    """A document that is open in the editor."""

    uri: str
    path: str
    version: int
    encoding: str
    lines: list[str] = field(default_factory=list)
    checked: CheckedText | None = None
    task: asyncio.Task[None] | None = None
    check_now: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self.lines)

    def replace(self, text: str) -> None:
        """Replace the whole text."""
        self.lines = split_lines(replace_half_pairs(text))

    def apply(self, changes: Iterable[TextDocumentContentChangeEvent]) -> None:
        """Apply edits one after the other; an edit outside the text is one at its end."""
        for change in changes:
            if isinstance(change, TextDocumentContentChangePartial):
                first, last = sorted((self._locate(change.range.start), self._locate(change.range.end)))
                self._splice(first, last, replace_half_pairs(change.text))
            else:
                self.replace(change.text)

    def _locate(self, position: Position) -> tuple[int, int]:
        """Return the line and the column in code points of a position."""
        if position.line >= len(self.lines):
            return len(self.lines) - 1, len(self.lines[-1])
        return position.line, find_column(self.lines[position.line], position.character, self.encoding)

    def _splice(self, first: tuple[int, int], last: tuple[int, int], text: str) -> None:
        (start, start_column), (end, end_column) = first, last
        new = self.lines[start][:start_column] + text + self.lines[end][end_column:]
        if start and new.startswith("\n") and self.lines[start - 1].endswith("\r"):
            start -= 1  # the two are one line end now
            new = self.lines[start] + new
        pieces = split_lines(new)
        if end + 1 < len(self.lines):
            pieces.pop()  # nothing stands between the last line end and the next line
        self.lines[start : end + 1] = pieces
