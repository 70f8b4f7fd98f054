"""A badge: one line of words in boxes, as an SVG that asks for nothing."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.support import escape

GREY, GREEN, AMBER, RED = "#555", "#2e7d32", "#8a5a00", "#b3261e"  # on which white words are easy to read
CHARACTER = 6.6  # average width of a character, in pixels
PADDING, HEIGHT = 8, 20


def render_badge(boxes: Sequence[tuple[str, str]], title: str) -> str:
    """Return the SVG.

    Args:
        boxes: The words of each box and its colour, from left to right.
        title: What a screen reader says and a pointer shows.
    """
    rectangles, texts, left = "", "", 0
    for words, colour in boxes:
        inner = round(CHARACTER * len(words))
        width = inner + 2 * PADDING
        rectangles += f'<rect x="{left}" width="{width}" height="{HEIGHT}" fill="{colour}"/>'
        # With a given length the words fit in their box, whichever font there is.
        texts += f'<text x="{left + PADDING}" y="14" textLength="{inner}">{escape.html(words)}</text>'
        left += width
    shown = escape.html(title)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left}" height="{HEIGHT}" '
        f'viewBox="0 0 {left} {HEIGHT}" role="img" aria-label="{shown}">'
        f'<title>{shown}</title><clipPath id="r"><rect width="{left}" height="{HEIGHT}" rx="3"/></clipPath>'
        f'<g clip-path="url(#r)">{rectangles}</g>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">{texts}</g></svg>\n'
    )
