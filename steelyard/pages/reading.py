"""How well HTML was read, in the same words in every output; and what of it was read and left out."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from steelyard.pages.descriptions import Line
from steelyard.support import escape
from steelyard.text.html import HtmlReading

REMEDY = "--show-text shows what was read, --selector CSS names the main part"
REMEDY_ON_PAGE = "“How it was read” shows what was left out; a CSS selector can name the main part"
MOST = 0.8  # of the words: a page of which less was read has much beside its main text
WITHHELD = "so there is no advice on length, and nothing is flagged"
MARKS = {True: "  ", False: "- "}  # before the lines of what was read and of what was left out
Outline = Sequence[tuple[str, bool]]


def describe_doubt(reading: HtmlReading | None, remedy: str = REMEDY) -> str:
    """Say that a page's reading is doubtful, and why; an empty string where it is not.

    Args:
        reading: How well the page was read.
        remedy: How to see what was read, and what to do.
    """
    if reading is None or reading.confidence == "good":
        return ""
    return f"{reading.confidence} reading: {reading.reason} ({_describe_share(reading)}), {WITHHELD}; {remedy}"


def describe_reading(reading: HtmlReading | None) -> str:
    """Say how well a page was read; an empty string for text."""
    if reading is None or reading.confidence != "good":
        return describe_doubt(reading)
    if not reading.read_share:
        return "a visitor sees no words"
    rest = "; the others are menus, comments, lists of links and the like" if reading.read_share < MOST else ""
    return f"good reading: {_describe_share(reading)}{rest}"


def _describe_share(reading: HtmlReading) -> str:
    return f"{reading.read_share:.0%} of the words that a visitor sees were read"


def from_entry(page: Any) -> HtmlReading | None:
    """Return the reading of an entry of `pages` in JSON; entries of earlier versions have none."""
    entry = page.get("reading")
    return HtmlReading(entry["confidence"], entry["read_share"], entry["reason"]) if entry else None


def list_outline(outline: Outline, columns: int) -> Iterator[Line]:
    """Yield what a visitor sees as lines, those that were left out with a dash."""
    if not outline:
        return
    yield "read from the page; what was left out begins with a dash:", "head"
    for text, read in outline:
        mark = MARKS[read]
        lines = textwrap.wrap(escape.make_visible(text), columns, initial_indent=mark, subsequent_indent=mark)
        yield from ((line, "text" if read else "dim") for line in lines)


def render_outline(outline: Outline) -> str:
    """Return the same as HTML, folded away; an empty string for text."""
    if not outline:
        return ""
    parts = []
    for read, group in groupby(outline, key=itemgetter(1)):
        blocks = "".join(f"<p>{escape.html(text)}</p>" for text, _ in group)
        parts.append(blocks if read else f'<del aria-label="left out">{blocks}</del>')
    head = "What was read of the page, and what was left out (struck through)"
    return f'<details class="outline"><summary>{head}</summary>{"".join(parts)}</details>'
