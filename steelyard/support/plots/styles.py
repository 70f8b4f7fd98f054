"""How a series looks: colours for those who see them, lines, markers and hatches for those who do not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

# Okabe and Ito's colours, told apart by colour-blind readers, without the yellow that is too pale for lines.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#AA4499", "#E69F00", "#56B4E9", "#222222")
LINES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (1.2, 1.5)), (0, (6, 1.6, 1.2, 1.6)), (0, (3, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "----")
RULES: tuple[Any, ...] = ((0, (5, 2.5)), (0, (1.2, 2)), (0, (5, 2, 1.2, 2)), (0, (9, 3)))
GREY = "#555555"


@dataclass(frozen=True, slots=True)
class Look:
    """How the series of one name is drawn everywhere."""

    colour: str
    line: Any
    marker: str
    hatch: str

    @classmethod
    def number(cls, place: int) -> Look:
        """The look of the series at this place."""
        return cls(*(each[place % len(each)] for each in (COLOURS, LINES, MARKERS, HATCHES)))

    def point(self, *, full: bool) -> dict[str, Any]:
        return {
            "marker": self.marker,
            "color": self.colour,
            "linestyle": "none",
            "markersize": 6,
            "markeredgewidth": 1.3,
            "markeredgecolor": self.colour,
            "markerfacecolor": self.colour if full else "white",
        }

    def face(self, *, full: bool) -> dict[str, Any]:
        return {
            "facecolor": self.colour + ("99" if full else "00"),
            "edgecolor": self.colour,
            "hatch": self.hatch,
            "linewidth": 1.0,
        }
