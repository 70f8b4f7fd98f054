"""Where sentences end: a full stop inside a figure, an address or an abbreviation ends none."""

from __future__ import annotations

import re
from collections.abc import Container

from steelyard.text.lines import Span

_END = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s|$)|\n[ \t]*\n")
_LONGEST_WORD = 24  # characters before a full stop that are looked at
_LETTER = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]$")  # "J", "U.S", "e.g"
_DAY = re.compile(r"[0-3]?[0-9]$", re.ASCII)
_WORD = re.compile(r"[^\W\d_]+")
_OPENING = "\"'“‘«„([*_- "


def split(text: str, abbreviations: frozenset[str], months: Container[str] = ()) -> list[Span]:
    """Return the stretches between the ends of sentences, in order; together with their ends they cover the text."""
    spans = []
    start = 0
    for end in _END.finditer(text):
        if end[0][0] == "." and _continues(text, end, abbreviations, months):
            continue
        spans.append((start, end.start()))
        start = end.end()
    spans.append((start, len(text)))
    return [span for span in spans if span[1] > span[0]]


def _continues(text: str, end: re.Match[str], abbreviations: frozenset[str], months: Container[str]) -> bool:
    """Tell whether the sentence goes on after this full stop.

    It does before a small letter, behind an abbreviation, and between the day and the month of a date (12. Januar).
    """
    following = text[end.end() : end.end() + _LONGEST_WORD].lstrip().lstrip(_OPENING)
    if following[:1].islower():
        return True
    if len(end[0]) > 1:
        return False
    word = text[max(0, end.start() - _LONGEST_WORD) : end.start()].rsplit(None, 1)
    last = word[-1].lstrip(_OPENING) if word else ""
    if _DAY.match(last) and (month := _WORD.match(following)):
        return month[0].lower() in months
    return last.lower() in abbreviations or bool(_LETTER.match(last))
