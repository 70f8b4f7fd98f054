"""The text of a page that is measured, and the one mapping between its positions and those of the file as written."""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property

from steelyard.text import frontmatter, markdown
from steelyard.text.characters import LETTERS, lower
from steelyard.text.composition import compose
from steelyard.text.directives import StrippedText
from steelyard.text.lines import Span
from steelyard.text.markdown import Structure
from steelyard.text.positions import Lines, Location, replace_half_pairs
from steelyard.text.view import View

_ASCII_WORD = re.compile(r"[a-z]+")  # the same words in an ASCII text, in half the time


class Source:
    """A decoded file with its front matter and structure, before a language is chosen.

    Three texts follow from each other: the file as written; `text`, which is measured, without directives and, with
    `repaired`, with accents of two characters made one; and the reading view of its `structure`, in which with
    `repaired` a line of text that the next one does not continue is a paragraph. All positions that leave the scorer
    are those of the file. For HTML the file is the text that was extracted from it.
    """

    def __init__(self, written: str | StrippedText, *, repaired: bool = False) -> None:
        self._stripped = written if isinstance(written, StrippedText) else None
        text = written.text if isinstance(written, StrippedText) else written
        safe = replace_half_pairs(text)
        self._composed = compose(safe) if repaired else View(safe)
        self.text = self._composed.text
        self._repaired = repaired
        self.written = text if self._stripped is None else self._stripped.written
        self.front_matter, self.start = frontmatter.read(self.text)

    @cached_property
    def structure(self) -> Structure:
        """The headings, paragraphs, blocks and links, and the reading view."""
        return markdown.parse(self.text, self.start, by_lines=self._repaired)

    @cached_property
    def word_counts(self) -> Counter[str]:
        """How often each word occurs, lower-cased, letters of any script: for language detection and the guards."""
        text = lower(self.structure.view.text)
        return Counter((_ASCII_WORD if text.isascii() else LETTERS).findall(text))

    def first_heading(self) -> str | None:
        """Return the words of the first heading of the highest level present."""
        headings = self.structure.headings
        if not headings:
            return None
        best = min(headings, key=lambda h: (h.level, h.start))
        return " ".join(self.structure.view.text[best.start : best.end].split()) or None

    @cached_property
    def heading_lines(self) -> list[int]:
        """The offset in the measured text of the line on which each heading begins."""
        lines: list[int] = []
        for heading in self.structure.headings:
            words = self.structure.view.source_span(heading.start, heading.end)[0]
            begins = self.text.rfind("\n", self.start, words) + 1
            lines.append(max(begins, self.start, lines[-1] if lines else 0))
        return lines

    # Positions

    def to_file(self, start: int, end: int) -> Span:
        """Return the half-open span of the file for a span of the measured text."""
        first, last = self._composed.source_offset(start), self._composed.source_offset(end)
        return (first, last) if self._stripped is None else self._stripped.view.source_span(first, last)

    def view_to_file(self, start: int, end: int) -> Span:
        """Return the half-open span of the file for a span of the reading view."""
        return self.to_file(*self.structure.view.source_span(start, end))

    def to_view(self, start: int, end: int) -> Span:
        """Return the span of the reading view for a span of the measured text; empty for what is not shown."""
        view = self.structure.view
        return view.view_offset(start), view.view_offset(end)

    def line(self, offset: int) -> int:
        """Return the line, from 1, of an offset in the file."""
        return self._lines.line(offset)

    def locate(self, start: int, end: int) -> Location:
        """Return a span of the file with its lines and columns."""
        return self._lines.locate(start, end)

    @cached_property
    def _lines(self) -> Lines:
        return Lines(self.written)
