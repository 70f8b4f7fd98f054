"""A picture as PNG and SVG: the same bytes in every run, whatever matplotlib is told elsewhere."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from steelyard.errors import MissingExtra
from steelyard.support.artifacts import write_bytes
from steelyard.support.plots.fonts import FONT, plain
from steelyard.support.plots.styles import GREY

SETTINGS: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": GREY,
    "axes.grid": True,
    "axes.labelsize": 9,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
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


class Picture(ABC):
    """Something with a title that can be drawn and written."""

    __slots__ = ()
    title: str

    @abstractmethod
    def draw(self, figure: Any) -> None:
        """Draw it into an empty figure, and give the figure its size."""

    def write(self, stem: str | Path) -> tuple[Path, Path]:
        """Write `<stem>.png` and `<stem>.svg`, and say where they are."""
        targets = Path(f"{stem}.png"), Path(f"{stem}.svg")
        for path, data in zip(targets, self.images(), strict=True):
            write_bytes(path, data)
        return targets

    def images(self) -> tuple[bytes, bytes]:
        """The PNG and the SVG; matplotlib's global settings are neither used nor changed."""
        try:
            import matplotlib
            from matplotlib.backends.backend_agg import FigureCanvasAgg
            from matplotlib.figure import Figure
        except ImportError as error:
            raise MissingExtra("lab", "matplotlib") from error
        with matplotlib.rc_context():
            matplotlib.rcdefaults()  # not what the user's matplotlibrc says
            matplotlib.rcParams.update(SETTINGS)
            figure = Figure()
            FigureCanvasAgg(figure)
            self.draw(figure)
            png, svg = io.BytesIO(), io.BytesIO()
            # What metadata there is by default names a version and a time.
            figure.savefig(png, format="png", dpi=160, metadata={"Software": None})
            figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None, "Title": plain(self.title)})
        return png.getvalue(), svg.getvalue()
