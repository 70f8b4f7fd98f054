"""The look of plots: colours for those who see them; lines, markers and hatches for those who do not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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
        return {
            "marker": self.marker,
            "color": self.colour,
            "linestyle": "none",
            "markersize": 6,
            "markeredgewidth": 1.3,
            "markeredgecolor": self.colour,
            "markerfacecolor": self.colour if filled else "white",
        }

    def bar_options(self, *, filled: bool) -> dict[str, Any]:
        face = self.colour + ("99" if filled else "00")
        return {"facecolor": face, "edgecolor": self.colour, "hatch": self.hatch, "linewidth": 1.0}
