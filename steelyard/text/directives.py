"""Directives: comments to Steelyard in a page, such as `<!-- steelyard: off citation_f1 -->`.

They are no part of the page's text. They are stripped before anything is measured, with the line and the blank line
that they brought, so that a directive never changes a number. Every position is given in the page as it was written.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

DIRECTIVE = re.compile(r"<!--[ \t]{0,9}+steelyard:[ \t]{0,9}+([^<>\n]{0,400}?)[ \t]{0,9}-->")
# A directive ends in one place only, so it is read in one way only (`?>`, `++`). Without that, every blank in it can be
# read in several ways, and a line with a few directives and a word after them takes forever.
_LINES = re.compile(rf"(?:^[ \t]{{0,99}}+(?:(?>{DIRECTIVE.pattern})[ \t]{{0,99}}+)++\r?(?:\n|\Z))++", re.MULTILINE)
_BLANK_LINE = re.compile(r"[ \t]{0,99}\r?\n")
_BLANK_BEFORE = re.compile(r"\n[ \t]{0,99}\r?\n\Z")
_BLANKS = " \t"


@dataclass(frozen=True, slots=True)
class StrippedText:
    """A text without directives, the text as written, and the offsets from which a span is moved, and how far."""

    text: str
    written: str
    starts: tuple[int, ...] = ()
    shifts: tuple[int, ...] = ()

    def to_written(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the text as it was written for a half-open span of this text."""
        first = self._to_written(start)
        return first, max(first, self._to_written(end - 1) + 1) if end > start else first

    def _to_written(self, offset: int) -> int:
        moved = bisect_right(self.starts, offset)
        return offset + (self.shifts[moved - 1] if moved else 0)


def strip_directives(text: str) -> StrippedText:
    """Return the text without its directives."""
    if "steelyard:" not in text:
        return StrippedText(text, text)
    pieces: list[str] = []
    starts: list[int] = []
    shifts: list[int] = []
    last = removed = 0
    for start, end in _find_cuts(text):
        pieces.append(text[last:start])
        starts.append(start - removed)
        removed += end - start
        shifts.append(removed)
        last = end
    return StrippedText("".join([*pieces, text[last:]]), text, tuple(starts), tuple(shifts))


def _find_cuts(text: str) -> Iterator[tuple[int, int]]:
    done = 0
    lines = {m.start(): m.end() for m in _LINES.finditer(text)}
    for start in sorted(lines):
        yield from _find_inline(text, done, start)
        first, done = _widen(text, max(done, start), lines[start], done)
        yield first, done
    yield from _find_inline(text, done, len(text))


def _widen(text: str, start: int, end: int, done: int) -> tuple[int, int]:
    """Take in one of the blank lines around whole lines, if there is one on both sides or an end of the page.

    What was cut before, up to `done`, is not cut again.
    """
    before = text[max(0, start - 200) : start]
    is_after_blank = not before.strip() or _BLANK_BEFORE.search(before) is not None
    blank = _BLANK_LINE.match(text, end)
    if is_after_blank and blank:
        return start, blank.end()
    if end == len(text) and before.strip() and is_after_blank:
        return max(done, start - (2 if before.endswith("\r\n") else 1)), end
    return start, end


def _find_inline(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    done = start  # blanks between two directives go with the first of them
    for directive in DIRECTIVE.finditer(text, start, end):
        first, last = directive.span()
        while first > done and text[first - 1] in _BLANKS:
            first -= 1
        ends_line = last == len(text) or text[last] in "\r\n"
        if not ends_line:
            first = directive.start()
            while last < end and text[last] in _BLANKS:
                last += 1
        yield first, last
        done = last
