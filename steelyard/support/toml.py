"""Parse TOML that a user gave: a small file must not take all memory or all the stack.

`tomllib` keeps every beginning of a dotted key, so that a key of 40,000 dots in 80 kB takes 6 GB, and it calls itself
for every bracket. A linear scan refuses both before it starts; what is in strings and comments does not count.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

# A configuration has 4 dots at most, and others' tables in a pyproject.toml about 8. With these two, a table is at most
# 460 deep, which can be printed, and the slowest megabyte takes 2 seconds.
MAX_DOTS = 20  # of one key or table name
MAX_BRACKETS = 20  # inside each other
MAX_WORD_LENGTH = 1_000  # characters outside quotation marks; Python does not print an integer of 4,300 digits

_SIGN = re.compile(r"""["'\n.=,\[\]{}]|\#[^\n]*|[^\s"'\#.=,\[\]{}]+""")
# What may end a string, by the marks it begins with; a backslash takes the next character with it.
_STRING_ENDS = {
    '"""': re.compile(r'"""|\\.', re.DOTALL),
    "'''": re.compile(r"'''"),
    '"': re.compile(r'["\n]|\\.', re.DOTALL),
    "'": re.compile(r"['\n]"),
}


class TomlRefused(ValueError):
    """A text that is not parsed; the message names the line and says what to change."""


def parse_toml(data: bytes) -> dict[str, Any]:
    """Parse the TOML of a file that was read up to a limit.

    Raises:
        TomlRefused: It has a longer key or more brackets than any file needs.
        ValueError: It is not TOML.
    """
    text = data.decode("utf-8")
    _check_shape(text)
    try:
        return tomllib.loads(text)
    except RecursionError as error:  # called from deep within another program
        raise ValueError("nested too deep") from error


def _check_shape(text: str) -> None:
    """Raise TomlRefused for a key of too many dots, too many brackets inside each other, or too long a word."""
    dots = depth = place = 0
    while match := _SIGN.search(text, place):
        sign, start, place = match[0], match.start(), match.end()
        if sign in ('"', "'"):
            place = _skip_string(text, start)
        elif sign == ".":
            dots += 1
        elif sign in ("=", ",", "\n", "[", "{", "]", "}"):
            dots = 0
            depth = max(0, depth + (sign in "[{") - (sign in "]}"))
        elif len(sign) > MAX_WORD_LENGTH and not sign.startswith("#"):
            raise _refuse(
                text, start, f"a word of over {MAX_WORD_LENGTH:,} characters; write a text in quotation marks"
            )
        if dots > MAX_DOTS:
            raise _refuse(text, start, f"a key of more than {MAX_DOTS} dots; write a shorter one")
        if depth > MAX_BRACKETS:
            raise _refuse(text, start, f"more than {MAX_BRACKETS} brackets inside each other; use fewer")


def _skip_string(text: str, start: int) -> int:
    """Return where a string ends; the end of the text for one that does not, at which `tomllib` stops as well."""
    mark = text[start] * 3 if text.startswith(text[start] * 3, start) else text[start]
    for match in _STRING_ENDS[mark].finditer(text, start + len(mark)):
        if match[0] == "\n":
            break
        if match[0] == mark:
            end = match.end()
            # Two more marks before the last three belong to the text.
            while len(mark) == 3 and end < match.end() + 2 and text.startswith(mark[0], end):
                end += 1
            return end
    return len(text)


def _refuse(text: str, place: int, reason: str) -> TomlRefused:
    return TomlRefused(f"line {text.count(chr(10), 0, place) + 1}: {reason}")
