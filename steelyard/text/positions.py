"""Lines and columns of offsets in a text: as people and programs count them, and as editors do."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import accumulate, pairwise
from typing import NamedTuple

UTF8, UTF16, UTF32 = "utf-8", "utf-16", "utf-32"
_BYTES = {UTF8: ("utf-8", 1), UTF16: ("utf-16-le", 2), UTF32: ("utf-32-le", 4)}  # Python's name, bytes of a unit
_LINE_END = re.compile(r"\r\n?|\n")
_WIDE = {UTF8: re.compile(r"[^\x00-\x7f]"), UTF16: re.compile("[\U00010000-\U0010ffff]")}  # over one unit
_HALF_PAIR = re.compile("[\ud800-\udfff]")


class Location(NamedTuple):
    """A half-open span of a text in code points, with the line and the column of both ends, counted from 1."""

    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int


class Lines:
    """The lines of a text, which end with LF; lines and columns count from 1, columns in code points."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(m.end() for m in re.finditer("\n", text))]

    def line(self, offset: int) -> int:
        """Return the line of an offset."""
        return bisect_right(self._starts, offset)

    def line_column(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of an offset."""
        line = self.line(offset)
        return line, offset - self._starts[line - 1] + 1

    def locate(self, start: int, end: int) -> Location:
        """Return the location of a span."""
        return Location(start, end, *self.line_column(start), *self.line_column(max(start, end)))


class EditorLines:
    """The lines of a text as the language server protocol counts them.

    Lines count from 0, and columns in units of the negotiated encoding. A line ends with LF, CR LF or CR, and with
    nothing else that Unicode calls a line end. Preparing it takes linear time, a position then logarithmic time.
    """

    def __init__(self, text: str, encoding: str) -> None:
        self._text = text
        self._encoding = encoding
        self._starts = [0, *(m.end() for m in _LINE_END.finditer(text))]
        wide = [] if encoding == UTF32 or text.isascii() else list(_WIDE[encoding].finditer(text))
        name, width = _BYTES[encoding]
        self._wide = [m.start() for m in wide]
        self._extra = [0, *accumulate(len(m[0].encode(name)) // width - 1 for m in wide)]

    def line_column(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of an offset; there is none between CR and LF, so it is before both."""
        offset = max(0, min(offset, len(self._text)))
        if offset and self._text.startswith("\r\n", offset - 1):
            offset -= 1
        line = bisect_right(self._starts, offset) - 1
        start = self._starts[line]
        extra = self._extra[bisect_left(self._wide, offset)] - self._extra[bisect_left(self._wide, start)]
        return line, offset - start + extra

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a position; behind the end of a line or of the text that end."""
        if line >= len(self._starts):
            return len(self._text)
        start = self._starts[line]
        end = self._starts[line + 1] if line + 1 < len(self._starts) else len(self._text)
        return start + find_column(self._text[start:end], column, self._encoding)


def find_column(line: str, units: int, encoding: str) -> int:
    """Return the column in code points of a column in units; behind the end of the line its end, inside a character its
    start."""
    content = line.rstrip("\r\n")
    if content.isascii():
        return min(units, len(content))
    name, width = _BYTES[encoding]
    return len(content.encode(name)[: units * width].decode(name, "ignore"))


def split_lines(text: str) -> list[str]:
    """Return the lines as an editor has them, with their ends; the last, perhaps empty, has none."""
    edges = [0, *(m.end() for m in _LINE_END.finditer(text)), len(text)]
    return [text[start:end] for start, end in pairwise(edges)]


def replace_half_pairs(text: str) -> str:
    """Replace halves of surrogate pairs, which JSON can carry and no encoding has; no position moves."""
    return text if text.isascii() else _HALF_PAIR.sub("\ufffd", text)
