"""Words in a plot: characters the font has, in lines that fit, never read as a formula."""

from __future__ import annotations

import functools
import textwrap
from typing import Any

from steelyard.support import escape
from steelyard.support.plots.styles import FONT


@functools.cache
def _known_characters() -> frozenset[int]:
    from matplotlib import font_manager

    return frozenset(font_manager.get_font(font_manager.findfont(FONT)).get_charmap())


def make_drawable(text: str) -> str:
    """Return the text on one line; a character that the font does not have becomes a question mark in a diamond."""
    known = _known_characters()
    return "".join(c if ord(c) in known else "\ufffd" for c in escape.make_visible(text))


def _measure_width(figure: Any, text: str, points: float, *, bold: bool) -> float:
    """Return the width in inches of a drawable line."""
    from matplotlib.font_manager import FontProperties

    font = FontProperties(family=FONT, size=points, weight="bold" if bold else "normal")
    measured = figure.canvas.get_renderer().get_text_width_height_descent(text, font, False)
    return float(measured[0] / figure.dpi)


def wrap_text(figure: Any, text: str, inches: float, points: float, *, lines: int = 2, bold: bool = False) -> str:
    """Break the text into lines of at most so many inches, about equally long; cut the rest with an ellipsis."""

    def is_too_wide(columns: int) -> bool:
        return any(
            _measure_width(figure, line, points, bold=bold) > inches for line in textwrap.wrap(drawable, columns)
        )

    drawable = make_drawable(text)
    columns = max(1, len(drawable))
    while columns > 1 and is_too_wide(columns):
        columns = columns * 9 // 10
    needed = len(textwrap.wrap(drawable, columns))
    while columns > 1 and needed <= lines and len(textwrap.wrap(drawable, columns - 1)) == needed:
        columns -= 1  # no single word in the last line
    return "\n".join(textwrap.wrap(drawable, columns, max_lines=lines, placeholder=" …"))
