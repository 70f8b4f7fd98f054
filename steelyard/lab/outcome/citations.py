"""Citation markers in an engine's answer: the one form that the original GEO code reads, and those that engines write.

An answer is hostile text of any length: every function here reads it in time linear in its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

TOO_LONG = 10**9  # replaces every number of more than nine digits: no list of sources is that long
MAX_MARKER = 400  # characters inside a marker's brackets; thirty sources with a label each fit

# From the first sign of a run of punctuation: a row of a million brackets is read once, not once per bracket.
_NUMBER_IN_SIGNS = re.compile(r"(?<![^\w\s])([^\w\s]++)(\d++)(?=([^\w\s]++))")

_LABEL = r"(?:(?:sources?|references?|refs?|documents?|docs?)[.:#\s]*+)?"
_NUMBER = rf"{_LABEL}\^?(\d+)\^?"
_ITEM = re.compile(rf"{_NUMBER}(?:\s*[-‐‑‒–—]\s*{_NUMBER})?", re.IGNORECASE)
_BETWEEN = re.compile(r"[,;&]|\band\b|\bet\b", re.IGNORECASE)
# Innermost brackets within a line, and the address when the marker is a link: `[1](https://…)`.
_BRACKETS = re.compile(
    r"(?:\[([^\[\]【】\n]*+)\]|【([^\[\]【】\n]*+)】)(?:\((?:https?:|www\.|[#/])[^()\s]*+\))?", re.IGNORECASE
)
# Ignored inside a marker: marks of direction and width, and the backslash of an escaped bracket.
_INVISIBLE = re.compile(r"[\\\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+")
# `[^1]: …`, and `[1]: https://…`: the definition of a number is not a sentence that cites it.
_DEFINITION = re.compile(r"^[ \t]*+\[(?:\^\d++\^?\]:|\d++\]:[ \t]*+<?https?://).*+", re.MULTILINE)
_CUT_OFF = re.compile(rf"[\[【]\s*+{_LABEL}[\d\s,;^‐‑‒–—-]*+(?:†[^\[\]【】]*+)?\Z", re.IGNORECASE)

_INSIDE_ENDS = re.compile(r"[\]】†]")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Marker:
    """Where a marker is and what it cites, as ranges of numbers: `[1, 4-6]` is ((1, 1), (4, 6))."""

    start: int
    end: int
    ranges: tuple[tuple[int, int], ...]


def find_geo_numbers(sentence: str) -> list[int]:
    """Return the numbers in brackets with only punctuation around them, as `[1]` or `[^1]`, in order and with repeats.

    This is the original's pattern, so `[1, 2]`, `[1,2]`, `[Source 1]` and 【1】 are not found.
    """
    numbers: list[int] = []
    searched = 0  # up to here, a closing bracket is used up
    for match in _NUMBER_IN_SIGNS.finditer(sentence):
        if sentence.find("[", max(searched, match.start(1)), match.end(1)) < 0:
            continue
        close = match[3].rfind("]")
        if close >= 0:
            numbers.append(_parse_number(match[2]))
            searched = match.start(3) + close + 1
    return numbers


def find_markers(text: str) -> Iterator[Marker]:
    """Yield every marker of any form: `[1]`, `[1, 2]`, `[1-3]`, `【1】`, `【1†source】`, `[Source 1]`, `[^1]`, `[1](https://…)`.

    Brackets that hold anything else, such as `[1, see below]` or `[Smith, 2020]`, are text. A range counts from its
    smaller end. A marker that the end of the text cuts off does not count.
    """
    for match in _BRACKETS.finditer(text):
        ranges = _parse_ranges(match[1] if match[1] is not None else match[2])
        if ranges:
            yield Marker(match.start(), match.end(), ranges)


def blank_markers(text: str) -> tuple[str, list[Marker]]:
    """Return the text with its markers replaced by spaces, so that no offset changes, and the markers.

    Lines that define a footnote become blank too, and so does a marker that the end of the text cuts off.
    """
    bare = blank_spans(text, (match.span() for match in _DEFINITION.finditer(text)))
    markers = list(find_markers(bare))
    bare = blank_spans(bare, ((marker.start, marker.end) for marker in markers))
    cut = _CUT_OFF.search(bare, max(0, len(bare) - MAX_MARKER))
    return (blank_spans(bare, [cut.span()]) if cut else bare), markers


def blank_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return the text with these spans, which must be in order, replaced by spaces."""
    pieces, at = [], 0
    for start, end in spans:
        pieces += [text[at:start], " " * (end - start)]
        at = end
    return "".join([*pieces, text[at:]])


def list_numbers(ranges: Iterable[tuple[int, int]], last: int) -> list[int]:
    """Return the numbers from 1 to `last` that are in any of the ranges, ascending, each once."""
    numbers: list[int] = []
    at = 1
    for low, high in sorted(ranges):
        numbers += range(max(low, at), min(high, last) + 1)
        at = max(at, high + 1)
    return numbers


def renumber_markers(text: str, names: Mapping[int, int]) -> str:
    """Replace the numbers in the markers of an answer that counts its sources differently.

    A number without a new name becomes one more than the largest name, so that it is out of range.
    """
    other = max(names.values(), default=0) + 1
    pieces, at = [], 0
    for marker in find_markers(text):
        end = next(_INSIDE_ENDS.finditer(text, marker.start)).start()
        renamed = _DIGITS.sub(lambda digits: str(names.get(_parse_number(digits[0]), other)), text[marker.start : end])
        pieces += [text[at : marker.start], renamed]
        at = end
    return "".join([*pieces, text[at:]])


def _parse_ranges(inside: str) -> tuple[tuple[int, int], ...] | None:
    """Return what the brackets cite; None if they hold anything but numbers."""
    if len(inside) > MAX_MARKER:
        return None
    ranges = []
    for piece in _BETWEEN.split(_INVISIBLE.sub("", inside).partition("†")[0]):
        if not piece.strip():
            continue
        item = _ITEM.fullmatch(piece.strip())
        if not item:
            return None
        first = _parse_number(item[1])
        last = first if item[2] is None else _parse_number(item[2])
        ranges.append((min(first, last), max(first, last)))
    return tuple(ranges)


def _parse_number(digits: str) -> int:
    """Return the number; TOO_LONG for too many digits, because int() is quadratic and refuses thousands of them."""
    digits = digits.lstrip("0")
    return int(digits or "0") if len(digits) <= 9 else TOO_LONG
