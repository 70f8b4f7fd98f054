"""Words in a picture: letters the font has, in lines that fit, never taken for a formula."""

from __future__ import annotations

import functools
import textwrap
from typing import Any

from steelyard.support import escape

FONT = "DejaVu Sans"  # comes with matplotlib: the same letters on every machine


def leading(points: float) -> float:
    """Inches from one line to the next."""
    return points * 1.3 / 72


@functools.cache
def _letters() -> frozenset[int]:
    from matplotlib import font_manager

    return frozenset(font_manager.get_font(font_manager.findfont(FONT)).get_charmap())


def plain(text: str) -> str:
    """Text in one line that the font can show; what it has no letter for becomes a question mark in a diamond."""
    letters = _letters()
    return "".join(c if ord(c) in letters else "\ufffd" for c in escape.visible(text))


def legible(label: str) -> str:
    """A legend leaves out names that begin with an underscore."""
    return f" {label}" if label.startswith("_") else label


def width(figure: Any, text: str, points: float, *, bold: bool = False) -> float:
    """Inches of a line that is already plain."""
    from matplotlib.font_manager import FontProperties

    font = FontProperties(family=FONT, size=points, weight="bold" if bold else "normal")
    measured = figure.canvas.get_renderer().get_text_width_height_descent(text, font, False)
    return float(measured[0] / figure.dpi)


def fit(figure: Any, text: str, inches: float, points: float, *, lines: int = 2, bold: bool = False) -> str:
    """The text in lines of at most so many inches, about equally long; what is over is cut with an ellipsis."""

    def broad(columns: int) -> bool:
        return any(width(figure, line, points, bold=bold) > inches for line in textwrap.wrap(shown, columns))

    shown = plain(text)
    columns = max(1, len(shown))
    while columns > 1 and broad(columns):
        columns = columns * 9 // 10
    wanted = len(textwrap.wrap(shown, columns))
    while columns > 1 and wanted <= lines and len(textwrap.wrap(shown, columns - 1)) == wanted:
        columns -= 1  # no single word in the last line
    return "\n".join(textwrap.wrap(shown, columns, max_lines=lines, placeholder=" …"))
