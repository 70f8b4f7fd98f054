"""Directives: comments to Steelyard in a page, such as `<!-- steelyard: off citation_f1 -->`.

They are no part of the page's text. They are stripped before anything is measured, with the line and the blank line
that they brought, so that a directive never changes a number. Every position is given in the page as it was written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from steelyard.text.view import View

DIRECTIVE = re.compile(r"<!--[ \t]{0,9}+steelyard:[ \t]{0,9}+([^<>\n]{0,400}?)[ \t]{0,9}-->")
# A directive ends in one place only, so it is read in one way only (`?>`, `++`). Without that, every blank in it can be
# read in several ways, and a line with a few directives and a word after them takes forever.
_LINES = re.compile(rf"(?:^[ \t]{{0,99}}+(?:(?>{DIRECTIVE.pattern})[ \t]{{0,99}}+)++\r?(?:\n|\Z))++", re.MULTILINE)
_BLANK_LINE = re.compile(r"[ \t]{0,99}\r?\n")
_BLANK_BEFORE = re.compile(r"\n[ \t]{0,99}\r?\n\Z")
_BLANKS = " \t"


@dataclass(frozen=True, slots=True)
class StrippedText:
    """A text without directives, as a view of the text as it was written, and the latter."""

    view: View
    written: str

    @property
    def text(self) -> str:
        """The text without directives."""
        return self.view.text


def strip_directives(text: str) -> StrippedText:
    """Return the text without its directives."""
    if "steelyard:" not in text:
        return StrippedText(View(text), text)
    pieces: list[str] = []
    view_starts, source_starts = [0], [0]
    last = removed = 0
    for start, end in _find_cuts(text):
        pieces.append(text[last:start])
        view_starts.append(start - removed)
        source_starts.append(end)
        removed += end - start
        last = end
    return StrippedText(View("".join([*pieces, text[last:]]), view_starts, source_starts), text)


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
