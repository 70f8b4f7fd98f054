"""The pass over the lines of a Markdown file that finds headings, paragraphs, blocks, code and their marks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from steelyard.text.characters import lower
from steelyard.text.line_ends import LineEnd, continues, read_end

Span = tuple[int, int]

MAX_LINE = 120  # characters, to which a text is wrapped that has line breaks inside of sentences
WRAPPED = 6  # tenths of the longest line: as long are most lines of such a text

_FENCE = re.compile(r"[ \t]*(?:>[ \t]?)*(`{3,}|~{3,})")
_HEADING = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+")
_UNDERLINE = re.compile(r"[ \t]{0,3}(=+|-{2,})[ \t\r]*$")
_RULE = re.compile(r"[ \t]{0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})\r?$")
_LIST = re.compile(r"[ \t]*(?:[-*+•]|[0-9]{1,9}[.)])[ \t]+")
_QUOTE = re.compile(r"[ \t]{0,3}(?:>[ \t]?)+")
_TABLE_RULE = frozenset("|:- \t")
_DEFINITION = re.compile(r"[ \t]{0,3}\[([^\]\[\n]{1,200})\]:[ \t]+<?([^\s<>]{1,2000})>?")


class Heading(NamedTuple):
    """A heading: its level and the span of its words."""

    level: int
    start: int
    end: int


class Link(NamedTuple):
    """The address of a link, which a reader does not see, and the span of the link in the source."""

    url: str
    start: int
    end: int


class LineParser:
    """Reads every line from `start` on; all spans are offsets into the source.

    Lines of text join to a paragraph, up to a blank line; with `by_lines` only where the next line continues the one
    before, on a page with lines of a `width`, if it is wrapped. `ends` are then the line ends between lines of text.
    """

    def __init__(self, text: str, start: int, *, by_lines: bool = False, width: int = 0) -> None:
        self._by_lines = by_lines
        self._width = width
        self.ends: list[LineEnd] = []
        self._line = ""  # the last one of a paragraph, quotation, list or table
        self.headings: list[Heading] = []
        self.paragraphs: list[Span] = []
        self.blocks: list[Span] = []
        self.fences: list[Span] = []
        self.marks: list[Span] = []
        self.soft_breaks: list[int] = []
        self.definitions: dict[str, Link] = {}
        self._block: Span | None = None
        self._paragraph: Span | None = None
        self._kind = ""
        self._after_list = False
        position = start
        while position < len(text):
            end = text.find("\n", position)
            end = len(text) if end < 0 else end
            position = self._read_line(text, position, end)
        self._close_block()

    def _read_line(self, text: str, start: int, end: int) -> int:
        """Read one line, or all lines of a fenced block; return the offset of the next line."""
        line = text[start:end]
        bare = line.strip(" \t\r\0")
        if not bare:
            # A line with nothing but a comment is ignored; an empty line ends the block.
            if "\0" not in line:
                self._close_block()
            return end + 1
        first = bare[0]
        if first in "`~>" and (fence := _FENCE.match(line)) and "`" not in line[fence.end() :]:
            return self._read_fence(text, start, end, fence[1])
        if self._block is None and not self._after_list and line.startswith(("    ", "\t")):
            self.fences.append((start, end))  # an indented block of code, line by line
        if first == "#" and (mark := _HEADING.match(line)):
            self._close_block()
            words, last = start + mark.end(), start + _find_heading_end(line)
            self.headings.append(Heading(len(mark[1]), words, last))
            self.marks.append((start, words))
            if end > last:
                self.marks.append((last, end))
            return end + 1
        paragraph = self._paragraph
        if first in "=-" and paragraph and paragraph == self._block and _UNDERLINE.match(line):
            self.headings.append(Heading(1 if first == "=" else 2, *paragraph))  # the paragraph above was a heading
            self.marks.append((start, end))
            self._paragraph = self._block = None
            self._kind = ""
        elif "|" in bare and "-" in bare and self._kind == "text" and _TABLE_RULE.issuperset(bare):
            self._open_table(text, start, end)
        elif first in "-*_" and _RULE.match(line):
            self._close_block()
            self.marks.append((start, end))
        elif first == "[" and (definition := _DEFINITION.match(line)):
            link = Link(definition[2], start, start + definition.end())
            self.definitions.setdefault(lower(definition[1]), link)
            self.marks.append((start, end))
        else:
            self._read_content(line, start, end, first)
        return end + 1

    def _read_content(self, line: str, start: int, end: int, first: str) -> None:
        """Read a line of a paragraph, quotation, list or table."""
        kind, words = "text", line
        is_item = False
        if first == ">" and (mark := _QUOTE.match(line)):
            self.marks.append((start, start + mark.end()))
            words = line[mark.end() :]
        elif (first in "-*+•" or first.isdigit()) and (mark := _LIST.match(line)):
            kind = "list"
            is_item = True
            if not first.isdigit():
                self.marks.append((start, start + mark.end()))
        elif first == "|" or (self._kind == "table" and "|" in line):
            kind = "table"
            self._mark_row(line, start, end)
        elif self._kind == "list" and line[0] in " \t":
            kind = "list"  # a continuation line of the item above
        if self._by_lines:
            if not is_item:
                kind = self._join(kind, words)
            elif self._kind == "text":
                self._close_block()
            self._line = line.replace("\0", " ")
        if kind == self._kind == "text" and self._paragraph is not None:
            self.soft_breaks.append(self._paragraph[1])
            self._paragraph = (self._paragraph[0], end)
        else:
            self._close_paragraph()
            self._kind = kind
            self._paragraph = (start, end) if kind == "text" else None
        self._block = (self._block[0] if self._block else start, end)

    def _join(self, kind: str, words: str) -> str:
        """Close the block that a line does not continue; return the kind of the line."""
        if kind == "table" or self._kind not in ("text", "list"):
            if "text" in (kind, self._kind):
                self._close_block()
            return kind
        end = read_end(self._line, words.replace("\0", " "))
        if kind == self._kind == "text":
            self.ends.append(end)
            if not continues(end, self._width):
                self._close_block()
        elif end.goes_on or (kind == "list" and continues(end, self._width)):
            kind = "list"  # a sentence of the item above goes on
            self.soft_breaks.append(self._block[1] if self._block else 0)
        elif kind == "text":
            self._close_block()
        return kind

    def _open_table(self, text: str, start: int, end: int) -> None:
        """Read a rule under a line with pipes: that line was the head of a table."""
        paragraph = self._paragraph
        head = text.rfind("\n", 0, start - 1) + 1
        self.marks.append((start, end))
        if paragraph is None or "|" not in text[head : start - 1]:
            return
        self._mark_row(text[head : start - 1], head, start - 1)
        if self.soft_breaks and self.soft_breaks[-1] == head - 1:
            self.soft_breaks.pop()
        self._paragraph = (paragraph[0], head - 1) if paragraph[0] < head else None
        self._close_paragraph()
        self._kind = "table"

    def _mark_row(self, line: str, start: int, end: int) -> None:
        """Mark the pipes of a table row, or all of the rule below its head."""
        if _TABLE_RULE.issuperset(line.strip("\r")) and "-" in line:
            self.marks.append((start, end))
            return
        self.marks += [(start + pipe.start(), start + pipe.end()) for pipe in re.finditer(r"\|", line)]

    def _read_fence(self, text: str, start: int, end: int, mark: str) -> int:
        """Read a fenced block up to its closing line, or to the end of the file."""
        self._close_paragraph()
        self.marks.append((start, end))
        position = end + 1
        while position < len(text):
            stop = text.find("\n", position)
            stop = len(text) if stop < 0 else stop
            closing = _FENCE.match(text, position, stop)
            if closing and closing[1].startswith(mark) and not text[closing.end() : stop].strip():
                self.marks.append((position, stop))
                position = stop + 1
                break
            position = stop + 1
        last = min(position, len(text))
        self.fences.append((start, last))
        self._block = (self._block[0] if self._block else start, last)
        self._kind = "code"
        return position

    def _close_paragraph(self) -> None:
        if self._paragraph is not None:
            self.paragraphs.append(self._paragraph)
        self._paragraph = None
        self._kind = ""

    def _close_block(self) -> None:
        if self._block is not None:
            self._after_list = self._kind == "list"
            self.blocks.append(self._block)
            self._block = None
        self._close_paragraph()


def is_wrapped(lines: Sequence[str]) -> bool:
    """Return whether the line breaks are those of a text wrapped to a width, and no ends of paragraphs."""
    widths = [len(line.strip()) for line in lines]
    longest = max(widths)
    full = sum(10 * width >= WRAPPED * longest for width in widths[:-1])
    return longest <= MAX_LINE and 10 * full >= 7 * (len(lines) - 1)


def _find_heading_end(line: str) -> int:
    """Return where the words of a heading end, before any closing hashes."""
    words = line.rstrip(" \t\r")
    bare = words.rstrip("#")
    return len(bare.rstrip(" \t")) if bare != words and bare[-1:] in (" ", "\t") else len(words)
