"""Where sentences end: a full stop inside a figure, an address or an abbreviation ends none."""

from __future__ import annotations

import re

from steelyard.text.lines import Span

_END = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s|$)|\n[ \t]*\n")
_LONGEST_WORD = 24  # characters before a full stop that are looked at
_LETTER = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]$")  # "J", "U.S", "e.g"
_OPENING = "\"'“‘«„([*_- "


def split(text: str, abbreviations: frozenset[str]) -> list[Span]:
    """Return the stretches between the ends of sentences, in order; together with their ends they cover the text."""
    spans = []
    start = 0
    for end in _END.finditer(text):
        if end[0][0] == "." and _continues(text, end, abbreviations):
            continue
        spans.append((start, end.start()))
        start = end.end()
    spans.append((start, len(text)))
    return [span for span in spans if span[1] > span[0]]


def _continues(text: str, end: re.Match[str], abbreviations: frozenset[str]) -> bool:
    """Tell whether the sentence goes on after this full stop: before a small letter, or behind an abbreviation."""
    following = text[end.end() : end.end() + 8].lstrip().lstrip(_OPENING)[:1]
    if following.islower():
        return True
    if len(end[0]) > 1:
        return False
    word = text[max(0, end.start() - _LONGEST_WORD) : end.start()].rsplit(None, 1)
    last = word[-1].lstrip(_OPENING) if word else ""
    return last.lower() in abbreviations or bool(_LETTER.match(last))
