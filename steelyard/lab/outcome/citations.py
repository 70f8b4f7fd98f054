"""Citation markers in an engine's answer: the one form that the original GEO code sees, and those that engines write.

An answer is hostile text of any length: every function here reads it in time linear in its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

BEYOND = 10**9  # stands for every number of more than nine digits: no list of sources is that long
LONGEST = 400  # characters inside a marker's brackets; thirty sources with a label each fit

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
# What is not seen inside a marker: marks of direction and width, and the backslash of an escaped bracket.
_UNSEEN = re.compile(r"[\\\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+")
# `[^1]: …`, and `[1]: https://…`: what a number stands for is no sentence that cites it.
_DEFINITION = re.compile(r"^[ \t]*+\[(?:\^\d++\^?\]:|\d++\]:[ \t]*+<?https?://).*+", re.MULTILINE)
_CUT = re.compile(rf"[\[【]\s*+{_LABEL}[\d\s,;^‐‑‒–—-]*+(?:†[^\[\]【】]*+)?\Z", re.IGNORECASE)

_INSIDE_ENDS = re.compile(r"[\]】†]")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Marker:
    """Where a marker stands and what it cites, as ranges of numbers: `[1, 4-6]` is ((1, 1), (4, 6))."""

    start: int
    end: int
    ranges: tuple[tuple[int, int], ...]


def geo_numbers(sentence: str) -> list[int]:
    """The numbers in brackets with nothing beside them but punctuation: `[1]`, `[^1]`; repeats kept, in order.

    The original's pattern, and so `[1, 2]`, `[1,2]`, `[Source 1]` and 【1】 are not seen.
    """
    found: list[int] = []
    taken = 0
    for match in _NUMBER_IN_SIGNS.finditer(sentence):
        if sentence.find("[", max(taken, match.start(1)), match.end(1)) < 0:
            continue
        close = match[3].rfind("]")
        if close >= 0:
            found.append(_value(match[2]))
            taken = match.start(3) + close + 1
    return found


def markers(text: str) -> Iterator[Marker]:
    """Every marker of any form: `[1]`, `[1, 2]`, `[1-3]`, `【1】`, `【1†source】`, `[Source 1]`, `[^1]`, `[1](https://…)`.

    Brackets that hold anything else, such as `[1, see below]` or `[Smith, 2020]`, are text. A range counts from its
    smaller end. A marker that the end of the text cuts off is none.
    """
    for match in _BRACKETS.finditer(text):
        ranges = _ranges(match[1] if match[1] is not None else match[2])
        if ranges:
            yield Marker(match.start(), match.end(), ranges)


def unmarked(text: str) -> tuple[str, list[Marker]]:
    """The text with spaces in the place of its markers, and the markers: every offset stays where it was.

    Lines that define a footnote are blank too, and so is a marker that the end of the text cuts off.
    """
    bare = blanked(text, (match.span() for match in _DEFINITION.finditer(text)))
    found = list(markers(bare))
    bare = blanked(bare, ((marker.start, marker.end) for marker in found))
    cut = _CUT.search(bare, max(0, len(bare) - LONGEST))
    return (blanked(bare, [cut.span()]) if cut else bare), found


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with spaces in the place of these spans, which stand in order."""
    pieces, at = [], 0
    for start, end in spans:
        pieces += [text[at:start], " " * (end - start)]
        at = end
    return "".join([*pieces, text[at:]])


def covered(ranges: Iterable[tuple[int, int]], first: int, last: int) -> list[int]:
    """The numbers from first to last that lie in any of the ranges, ascending, each once."""
    found: list[int] = []
    at = first
    for low, high in sorted(ranges):
        found += range(max(low, at), min(high, last) + 1)
        at = max(at, high + 1)
    return found


def numbers(text: str, most: int = 999) -> list[int]:
    """The distinct numbers from 0 to `most` that markers of any form cite, ascending; definitions are left out."""
    return covered((cited for marker in unmarked(text)[1] for cited in marker.ranges), 0, most)


def renumbered(text: str, names: Mapping[int, int]) -> str:
    """The text with the numbers in its markers replaced, their form kept; for answers that count otherwise than a list.

    A number without a new name becomes one more than the largest name, so that it cannot be taken for a source.
    """
    other = max(names.values(), default=0) + 1
    pieces, at = [], 0
    for marker in markers(text):
        end = next(_INSIDE_ENDS.finditer(text, marker.start)).start()
        renamed = _DIGITS.sub(lambda digits: str(names.get(_value(digits[0]), other)), text[marker.start : end])
        pieces += [text[at : marker.start], renamed]
        at = end
    return "".join([*pieces, text[at:]])


def _ranges(inside: str) -> tuple[tuple[int, int], ...] | None:
    """What the brackets cite; None if they hold anything but numbers."""
    if len(inside) > LONGEST:
        return None
    ranges = []
    for piece in _BETWEEN.split(_UNSEEN.sub("", inside).partition("†")[0]):
        if not piece.strip():
            continue
        item = _ITEM.fullmatch(piece.strip())
        if not item:
            return None
        first = _value(item[1])
        last = first if item[2] is None else _value(item[2])
        ranges.append((min(first, last), max(first, last)))
    return tuple(ranges)


def _value(digits: str) -> int:
    """What the digits say; BEYOND if there are too many, because int() is quadratic and refuses thousands of them."""
    digits = digits.lstrip("0")
    return int(digits or "0") if len(digits) <= 9 else BEYOND
