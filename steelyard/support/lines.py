"""Read lines in pieces, so that one without an end costs no more memory than the longest allowed; say what is wrong.

A JSONL file is refused in the same words wherever one is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

MAX_LINE = 256_000_000  # bytes, where the reader has no smaller limit of its own
ADVICE = "write one object per line"
_PIECE = 1 << 20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # which some programs write first


class LineSource(Protocol):
    """A binary file, packed or not."""

    def readline(self, size: int, /) -> bytes:
        """Return the next line, or its first `size` bytes."""


class Line(NamedTuple):
    """One line of a file."""

    number: int  # from 1, blank lines included
    data: bytes | None  # with its line break; None if it was longer than the limit
    size: int  # bytes read of it, whatever was kept

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing to read in it."""
        return self.data is not None and (not self.data or self.data.isspace())


def read_lines(stream: LineSource, limit: int, *, number: int = 0, strict: bool = False) -> Iterator[Line]:
    """Yield all lines; a line over the limit is read to its end and none of it is kept.

    Args:
        stream: Where to read from. Lines end with a line feed only: U+2028 and U+0085 are characters of a page.
        limit: The most bytes a line may have, its line break not counted.
        number: The number of lines before the first one. A byte order mark is removed from line 1.
        strict: Stop at a line over the limit instead, for a reader that refuses the whole file because of it: its end
            may be gigabytes away.
    """
    while data := stream.readline(limit + 1):
        number += 1
        size = len(data)
        if size > limit and not data.endswith(b"\n"):
            yield Line(number, None, size if strict else size + _skip_line(stream))
            if strict:
                return
        else:
            yield Line(number, data.removeprefix(_BYTE_ORDER_MARK) if number == 1 else data, size)


def _skip_line(stream: LineSource) -> int:
    """Read to the end of the line, and return the number of bytes."""
    size = 0
    while piece := stream.readline(_PIECE):
        size += len(piece)
        if piece.endswith(b"\n"):
            break
    return size


def explain_long_line(limit: int, advice: str) -> str:
    """Return the reason why a line was not read; the caller adds the file and the line."""
    return f"the line is longer than {limit:,} bytes; {advice}"


def explain_bad_json(error: Exception, advice: str = ADVICE) -> str:
    """Return the reason why json or the codec could not read a line; the caller adds the file and the line."""
    if isinstance(error, RecursionError):
        return f"nested too deep to be a record; {advice}"
    if isinstance(error, json.JSONDecodeError):
        line = f"line {error.lineno}, " if error.lineno > 1 else ""  # of a file that is one JSON value
        problem = f"{line}{error.msg} at column {error.colno}"
    elif isinstance(error, UnicodeDecodeError):
        problem = f"not UTF-8 at byte {error.start}"
    else:
        problem = str(error)
    return f"not JSON ({problem}); {advice}"


def explain_not_object(value: Any, advice: str = ADVICE) -> str:
    """Return the reason why a JSON value is no record."""
    return f"a JSON {type(value).__name__}, not an object; {advice}"
