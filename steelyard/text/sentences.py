"""Where sentences end: a full stop inside a figure, an address or an abbreviation ends none."""

from __future__ import annotations

import re

from steelyard.text.characters import LETTER, LETTERS, is_lower, lower
from steelyard.text.lines import Span

# A run of marks is tried once: without the look behind, a page of dots would be tried at every dot.
_END = re.compile(r"(?<![.!?…])[.!?…]+[\"'”’»)\]]*(?=\s|$)|\n")
_MAX_WORD_LENGTH = 24  # characters before a full stop that are looked at
_LETTER = re.compile(rf"(?:{LETTER}\.)*{LETTER}$")  # "J", "U.S", "e.g"
_ORDINAL = re.compile(r"[0-9]{1,2}$", re.ASCII)
_OPENING = "\"'“‘«„([*_- "


def split(text: str, abbreviations: frozenset[str], after_ordinals: frozenset[str] = frozenset()) -> list[Span]:
    """Return the stretches between the ends of sentences, in order; together with their ends they cover the text."""
    spans = []
    start = 0
    for end in _END.finditer(text):
        if end[0][0] == "." and _continues(text, end, abbreviations, after_ordinals):
            continue
        spans.append((start, end.start()))
        start = end.end()
    spans.append((start, len(text)))
    return [span for span in spans if span[1] > span[0]]


def _continues(text: str, end: re.Match[str], abbreviations: frozenset[str], after_ordinals: frozenset[str]) -> bool:
    """Tell whether the sentence goes on after this full stop.

    It does before a small letter, behind an abbreviation, and between an ordinal and its noun (12. Januar).
    """
    following = text[end.end() : end.end() + _MAX_WORD_LENGTH].lstrip().lstrip(_OPENING)
    if following and is_lower(following[0]):
        return True
    if len(end[0]) > 1:
        return False
    word = text[max(0, end.start() - _MAX_WORD_LENGTH) : end.start()].rsplit(None, 1)
    last = word[-1].lstrip(_OPENING) if word else ""
    if after_ordinals and _ORDINAL.match(last) and (noun := LETTERS.match(following)):
        return lower(noun[0]) in after_ordinals
    return lower(last) in abbreviations or bool(_LETTER.match(last))
