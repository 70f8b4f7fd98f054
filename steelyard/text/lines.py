"""The pass over a Markdown file's lines: headings, paragraphs, blocks, code, and the marks that make them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

Span = tuple[int, int]

_FENCE = re.compile(r"[ \t]*(?:>[ \t]?)*(`{3,}|~{3,})")
_HEADING = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+")
_UNDERLINE = re.compile(r"[ \t]{0,3}(=+|-{2,})[ \t\r]*$")
_RULE = re.compile(r"[ \t]{0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})\r?$")
_LIST = re.compile(r"[ \t]*(?:[-*+•]|[0-9]{1,9}[.)])[ \t]+")
_QUOTE = re.compile(r"[ \t]{0,3}(?:>[ \t]?)+")
_TABLE_RULE = frozenset("|:- \t")
_DEFINITION = re.compile(r"[ \t]{0,3}\[([^\]\[\n]{1,200})\]:[ \t]+<?([^\s<>]{1,2000})>?")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its level and the span of its words."""

    level: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Link:
    """The address of a link, which a reader does not see, and where the link stands in the source."""

    url: str
    start: int
    end: int


@dataclass(slots=True)
class Lines:
    """The pass over the lines; every span is an offset into the source."""

    headings: list[Heading] = field(default_factory=list)
    paragraphs: list[Span] = field(default_factory=list)
    blocks: list[Span] = field(default_factory=list)
    fences: list[Span] = field(default_factory=list)
    marks: list[Span] = field(default_factory=list)
    soft: list[int] = field(default_factory=list)
    definitions: dict[str, Link] = field(default_factory=dict)
    _block: Span | None = None
    _paragraph: Span | None = None
    _kind: str = ""
    _after_list: bool = False

    def read(self, text: str, start: int) -> None:
        position = start
        while position < len(text):
            end = text.find("\n", position)
            end = len(text) if end < 0 else end
            position = self._line(text, position, end)
        self._close_block()

    def _line(self, text: str, start: int, end: int) -> int:
        """Read one line (a fence reads all of its lines); the offset of the next one."""
        line = text[start:end]
        bare = line.strip(" \t\r\0")
        if not bare:
            # A line that held only a comment is no line; an empty one ends the block.
            if "\0" not in line:
                self._close_block()
            return end + 1
        first = bare[0]
        if first in "`~>" and (fence := _FENCE.match(line)) and "`" not in line[fence.end() :]:
            return self._fence(text, start, end, fence[1])
        if self._block is None and not self._after_list and line.startswith(("    ", "\t")):
            self.fences.append((start, end))  # an indented block of code, line by line
        if first == "#" and (mark := _HEADING.match(line)):
            self._heading(len(mark[1]), start, start + mark.end(), start + _heading_end(line))
            self.marks.append((start + _heading_end(line), end))
            return end + 1
        words = self._paragraph
        if first in "=-" and words and words == self._block and _UNDERLINE.match(line):
            self._underlined(words, start, end, first)
        elif "|" in bare and "-" in bare and self._kind == "text" and _TABLE_RULE.issuperset(bare):
            self._table_without_edges(text, start, end)
        elif first in "-*_" and _RULE.match(line):
            self._close_block()
            self.marks.append((start, end))
        elif first == "[" and (definition := _DEFINITION.match(line)):
            link = Link(definition[2], start, start + definition.end())
            self.definitions.setdefault(definition[1].lower(), link)
            self.marks.append((start, end))
        else:
            self._content(line, start, end, first)
        return end + 1

    def _content(self, line: str, start: int, end: int, first: str) -> None:
        kind = "text"
        if first == ">" and (mark := _QUOTE.match(line)):
            self.marks.append((start, start + mark.end()))
        elif (first in "-*+•" or first.isdigit()) and (mark := _LIST.match(line)):
            kind = "list"
            if not first.isdigit():
                self.marks.append((start, start + mark.end()))
        elif first == "|" or (self._kind == "table" and "|" in line):
            kind = "table"
            self._row(line, start, end)
        elif self._kind == "list" and line[0] in " \t":
            kind = "list"  # a continuation line of the item above
        if kind == self._kind == "text" and self._paragraph is not None:
            self.soft.append(self._paragraph[1])
            self._paragraph = (self._paragraph[0], end)
        else:
            self._close_paragraph()
            self._kind = kind
            self._paragraph = (start, end) if kind == "text" else None
        self._block = (self._block[0] if self._block else start, end)

    def _table_without_edges(self, text: str, start: int, end: int) -> None:
        """A rule under a line with pipes: that line was the head of a table."""
        paragraph = self._paragraph
        head = text.rfind("\n", 0, start - 1) + 1
        self.marks.append((start, end))
        if paragraph is None or "|" not in text[head : start - 1]:
            return
        self._row(text[head : start - 1], head, start - 1)
        if self.soft and self.soft[-1] == head - 1:
            self.soft.pop()
        self._paragraph = (paragraph[0], head - 1) if paragraph[0] < head else None
        self._close_paragraph()
        self._kind = "table"

    def _row(self, line: str, start: int, end: int) -> None:
        if _TABLE_RULE.issuperset(line.strip("\r")) and "-" in line:
            self.marks.append((start, end))
            return
        at = line.find("|")
        while at >= 0:
            self.marks.append((start + at, start + at + 1))
            at = line.find("|", at + 1)

    def _fence(self, text: str, start: int, end: int, mark: str) -> int:
        """A fenced block up to its closing line, or to the end of the file."""
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

    def _heading(self, level: int, start: int, words: int, end: int) -> None:
        self._close_block()
        self.headings.append(Heading(level, words, end))
        self.marks.append((start, words))

    def _underlined(self, words: Span, start: int, end: int, first: str) -> None:
        """The paragraph above turns out to be a heading."""
        self._paragraph = self._block = None
        self._kind = ""
        self.headings.append(Heading(1 if first == "=" else 2, *words))
        self.marks.append((start, end))

    def _close_paragraph(self) -> None:
        if self._paragraph is not None:
            self.paragraphs.append(self._paragraph)
        self._paragraph = None
        self._kind = ""

    def _close_block(self) -> None:
        if self._block is not None:
            self._after_list = self._kind == "list"
        self._close_paragraph()
        if self._block is not None:
            self.blocks.append(self._block)
        self._block = None


def _heading_end(line: str) -> int:
    """Where the words of a heading end: hashes that close it are none."""
    words = line.rstrip(" \t\r")
    bare = words.rstrip("#")
    return len(bare.rstrip(" \t")) if bare != words and bare[-1:] in (" ", "\t") else len(words)
