"""Styles of plots: colours, and lines, markers and hatches for who cannot see them; the font, and texts that fit."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from functools import cache
from typing import Any

from steelyard.support import escape

FONT = "DejaVu Sans"  # comes with matplotlib: the same letters on every machine
# Okabe and Ito's colours, which colour-blind readers can tell apart, without the yellow that is too pale for lines.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#AA4499", "#E69F00", "#56B4E9", "#222222")
LINES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (1.2, 1.5)), (0, (6, 1.6, 1.2, 1.6)), (0, (3, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "----")
DASHES: tuple[Any, ...] = ((0, (5, 2.5)), (0, (1.2, 2)), (0, (5, 2, 1.2, 2)), (0, (9, 3)))  # of lines across a panel
GREY = "#555555"
SETTINGS: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": GREY,
    "axes.grid": True,
    "axes.labelsize": 9,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "figure.constrained_layout.use": True,
    "font.family": [FONT],
    "font.size": 9,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.7,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "svg.fonttype": "path",
    "svg.hashsalt": "steelyard",  # otherwise every SVG has random identifiers
    "text.parse_math": False,  # a price is no formula
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": "black",
    "ytick.labelcolor": "black",
}


@dataclass(frozen=True, slots=True)
class SeriesStyle:
    """How the series of one name is drawn in every panel."""

    colour: str
    line: Any
    marker: str
    hatch: str

    @classmethod
    def at(cls, index: int) -> SeriesStyle:
        """Return the style of the series with this index."""
        return cls(*(options[index % len(options)] for options in (COLOURS, LINES, MARKERS, HATCHES)))

    def marker_options(self, *, filled: bool) -> dict[str, Any]:
        edge = {"markersize": 6, "markeredgewidth": 1.3, "markeredgecolor": self.colour}
        face = self.colour if filled else "white"
        return {"marker": self.marker, "color": self.colour, "linestyle": "none", "markerfacecolor": face, **edge}

    def bar_options(self, *, filled: bool) -> dict[str, Any]:
        face = self.colour + ("99" if filled else "00")
        return {"facecolor": face, "edgecolor": self.colour, "hatch": self.hatch, "linewidth": 1.0}


@cache
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
