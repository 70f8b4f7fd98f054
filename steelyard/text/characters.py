"""Letters, digits, cases and accents of one Unicode version, the same under every Python and in the native core.

A Python whose own tables are of that version uses them. Under any other the classes come from characters.txt.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import resources

VERSION = "14.0.0"
IS_OWN = unicodedata.unidata_version == VERSION  # whether this Python's tables are those of the file

# The lower case of a capital sigma depends on its place in the word, and that of İ is two characters.
_UNEQUAL = re.compile("[Σİ]")


def read_table() -> str:
    """Return the file of tables."""
    return resources.files("steelyard.text").joinpath("characters.txt").read_text("utf-8")


@cache
def _read_lines() -> dict[str, str]:
    lines = (line.partition(": ") for line in read_table().splitlines() if not line.startswith("#"))
    return {name: items for name, _, items in lines}


@cache
def read_ranges(name: str) -> tuple[tuple[int, int], ...]:
    """Return the ranges of a class of characters."""
    pairs = (item.partition("-") for item in _read_lines()[name].split())
    return tuple((int(first, 16), int(last or first, 16)) for first, _, last in pairs)


@cache
def read_lower() -> dict[int, int]:
    """Return the lower case of every character that has one."""
    small: dict[int, int] = {}
    for item in _read_lines()["to_lower"].split():
        span, _, rest = item.partition("/")
        first, _, last = span.partition("-")
        step, sign, distance = re.split(r"([+-])", rest)
        for c in range(int(first, 16), int(last, 16) + 1, int(step)):
            small[c] = c + int(sign + distance)
    return small


def read_compositions() -> Iterator[tuple[str, str | None, str, bool]]:
    """Yield (base, accent, whole, whether the two also compose: some characters only decompose)."""
    for item in _read_lines()["compose"].split():
        parts, sign, whole = re.split("([=>])", item)
        base, _, accent = parts.partition("+")
        yield chr(int(base, 16)), chr(int(accent, 16)) if accent else None, chr(int(whole, 16)), sign == "="


def read_orders() -> dict[str, int]:
    """Return the combining class of each accent."""
    pairs = (item.split(":") for item in _read_lines()["order"].split())
    return {chr(int(c, 16)): int(order) for c, order in pairs}


def _find_codes(names: Iterable[str]) -> set[int]:
    return {c for name in names for first, last in read_ranges(name) for c in range(first, last + 1)}


def _write_class(names: Iterable[str], without: Iterable[str] = (), also: str = "") -> str:
    """Return a regex class of the characters of some classes."""
    ranges: list[list[int]] = []
    for c in sorted(_find_codes(names) - _find_codes(without)):
        if ranges and ranges[-1][1] == c - 1:
            ranges[-1][1] = c
        else:
            ranges.append([c, c])
    return "[" + "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges) + also + "]"


_ALNUM = ("alpha", "decimal", "digit", "numeric")


def write_classes() -> dict[str, str]:
    """Return regex classes from the tables: letters, letters with digits, and those with the underscore."""
    return {
        "letter": _write_class(("alpha", "digit", "numeric"), without=("decimal",)),
        "alnum": _write_class(_ALNUM),
        "word": _write_class(_ALNUM, also="_"),
    }


_CLASSES = {"letter": r"[^\W\d_]", "alnum": r"[^\W_]", "word": r"\w"} if IS_OWN else write_classes()
LETTER, ALNUM, WORD = (_CLASSES[name] for name in ("letter", "alnum", "word"))
LETTERS = re.compile(f"{LETTER}+")


def lower(text: str) -> str:
    """Return the text in lower case, character by character; the length stays the same."""
    if text.isascii() or (IS_OWN and not _UNEQUAL.search(text)):
        return text.lower()
    return text.translate(read_lower())


def make_test(*names: str) -> Callable[[str], bool]:
    """Return a test of one character by the tables."""
    characters = {chr(c) for c in _find_codes(names)}
    return lambda c: c in characters


# Of one character each.
is_alpha, is_alnum, is_lower, is_upper, is_title = (
    (str.isalpha, str.isalnum, str.islower, str.isupper, str.istitle)
    if IS_OWN
    else (make_test("alpha"), make_test(*_ALNUM), make_test("lower"), make_test("upper"), make_test("title"))
)


def is_capitals(text: str) -> bool:
    """Tell whether a word has a capital and no small letter."""
    return any(map(is_upper, text)) and not any(is_lower(c) or (not is_upper(c) and is_title(c)) for c in text)
