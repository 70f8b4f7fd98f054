"""Whether a line of text goes on in the next one or ends a paragraph, told from what stands on both sides of its end.

Each line end is read by itself, so that a blank line, list, table or heading elsewhere changes nothing. Only the width
to which a page is wrapped, if it is, is that of the page: where a sentence goes on in the next line, the line was full.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from steelyard.text.characters import is_lower

ENDS = (".", "!", "?", "…", ":")  # of a sentence
CLOSING = " \n\"'”“’‘»)]"  # may stand behind the mark
MIN_WIDTH = 30  # characters, to which a text may be wrapped
_OPENING = "\"'“‘«„([*_`"  # may stand before the first letter
_MARKUP = "*_`"  # may also stand behind it


class LineEnd(NamedTuple):
    """The end of a line: how long the line and the next line's first word are, whether a sentence ends or goes on."""

    length: int
    next_word: int
    ends: bool
    goes_on: bool


def read_end(line: str, following: str) -> LineEnd:
    """Read the end of a line that another line follows; a sentence without a mark goes on at a small letter."""
    line, words = line.rstrip(), following.split(maxsplit=1)
    word = words[0] if words else ""
    first = word.lstrip(_OPENING)[:1]
    ends = line.rstrip(CLOSING + _MARKUP).endswith(ENDS)
    return LineEnd(len(line), len(word), ends, line != "" and not ends and first != "" and is_lower(first))


def find_width(ends: Sequence[LineEnd]) -> int:
    """Return the usual length of the lines of a page that is wrapped to a width; 0 for any other.

    On such a page the lines behind which a sentence goes on are about equally long. Of all full lines they are a
    quarter or more (where nouns have capitals, less than half), and more than those that end a sentence.
    """
    lengths = sorted(end.length for end in ends if end.goes_on)
    usual = lengths[len(lengths) // 2] if lengths else 0
    if usual < MIN_WIDTH:
        return 0
    alike = sum(3 * usual <= 4 * length <= 5 * usual for length in lengths)
    full = [end for end in ends if is_full(end, usual)]
    going_on, ending = sum(end.goes_on for end in full), sum(end.ends for end in full)
    return usual if 10 * alike >= 7 * len(lengths) and going_on > max(ending, len(full) // 4) else 0


def is_full(end: LineEnd, width: int) -> bool:
    """Return whether a line was broken because the next word did not fit, where lines usually are so long."""
    return 0 < 4 * end.length <= 5 * width and end.length + 1 + end.next_word > width


def continues(end: LineEnd, width: int) -> bool:
    """Return whether a paragraph goes on behind the end of a line; `width` is 0 on a page that is not wrapped."""
    return end.goes_on or is_full(end, width)
