"""Plots of series in panels, readable without colour; the same bytes in every run.

Everything that needs a name is in one legend outside the panels, so that no label covers data.
"""

from __future__ import annotations

import io
import math
import os
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.errors import MissingExtra
from steelyard.support.artifacts import write_bytes
from steelyard.support.plots.panels import Panel, PanelDrawer, Series
from steelyard.support.plots.styles import SETTINGS, make_drawable, wrap_text

__all__ = ["Panel", "Plot", "Series"]
EDGE = 0.09  # inches around everything


@dataclass(frozen=True, slots=True)
class Plot:
    """Panels in rows of `columns`, with one title, one legend and a note; `share_y` gives all panels one scale."""

    title: str
    panels: Sequence[Panel]
    columns: int = 1
    note: str = ""
    share_y: bool = False

    def __post_init__(self) -> None:
        if not self.panels or self.columns < 1:
            raise ValueError(f"plot {self.title!r}: needs at least one panel and one column")

    def write(self, stem: str | Path) -> tuple[Path, Path]:
        """Write `<stem>.png` and `<stem>.svg`, and return their paths."""
        paths = Path(f"{stem}.png"), Path(f"{stem}.svg")
        for path, data in zip(paths, self.render(), strict=True):
            write_bytes(path, data)
        return paths

    def render(self) -> tuple[bytes, bytes]:
        """Return the PNG and the SVG; matplotlib's global settings are neither used nor changed."""
        try:
            with _import_alone():
                import matplotlib
                from matplotlib.backends.backend_agg import FigureCanvasAgg
                from matplotlib.figure import Figure
        except ImportError as error:
            raise MissingExtra("lab", "matplotlib") from error
        with matplotlib.rc_context():
            matplotlib.rcdefaults()  # not the user's matplotlibrc
            matplotlib.rcParams.update(SETTINGS)
            figure = Figure()
            FigureCanvasAgg(figure)
            self.draw(figure)
            png, svg = io.BytesIO(), io.BytesIO()
            # The default metadata would name a version and a time.
            figure.savefig(png, format="png", dpi=160, metadata={"Software": None})
            title = make_drawable(self.title)
            figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None, "Title": title})
        return png.getvalue(), svg.getvalue()

    def draw(self, figure: Any) -> None:
        """Draw the plot into an empty figure, and give the figure its size."""
        drawer = PanelDrawer(figure, self.panels)
        columns = min(self.columns, len(self.panels))
        rows = math.ceil(len(self.panels) / columns)
        width = {1: 7.0, 2: 8.6}.get(columns, 3.4 * columns)
        heights = [max(_panel_height(p, columns) for p in self.panels[r * columns :][:columns]) for r in range(rows)]
        figure.set_size_inches(width, sum(heights))
        grid = figure.add_gridspec(rows, columns, height_ratios=heights)
        first = None
        for i, panel in enumerate(self.panels):
            axes = figure.add_subplot(grid[i // columns, i % columns], sharey=first if self.share_y else None)
            first = first or axes
            drawer.draw_panel(axes, panel, width / columns, heights[i // columns])
        self._draw_title_legend_and_note(drawer, width, sum(heights))

    def _draw_title_legend_and_note(self, drawer: PanelDrawer, width: float, height: float) -> None:
        """Draw title and legend above the panels and the note below; the figure grows by what they need."""
        figure = drawer.figure
        title = wrap_text(figure, self.title, width - 2 * EDGE, 12, lines=4, bold=True)
        note = wrap_text(figure, self.note, width - 2 * EDGE, 8, lines=8)
        below = (note.count("\n") + 1) * 8 * 1.35 / 72 + EDGE if note else 0.0
        above = (title.count("\n") + 1) * 12 * 1.3 / 72 + EDGE if title else 0.0
        legend, legend_height = _make_legend(drawer, width - 2 * EDGE)
        total = height + above + legend_height + below
        figure.set_size_inches(width, total)
        if title:
            figure.text(EDGE / width, 1 - EDGE / total, title, va="top", fontsize=12, fontweight="bold")
        if note:
            figure.text(EDGE / width, EDGE / total, note, va="bottom", fontsize=8, color="#333333")
        if legend:
            legend.set_bbox_to_anchor((EDGE / width, 1 - above / total))
        figure.get_layout_engine().set(
            w_pad=EDGE, h_pad=EDGE, wspace=0.03, hspace=0.03, rect=(0, below / total, 1, height / total)
        )


def _make_legend(drawer: PanelDrawer, room: float) -> tuple[Any, float]:
    """Return the legend, in as few lines as fit the room, and its height in inches."""
    figure = drawer.figure
    entries = {key: handle for key, handle in drawer.legend.items() if key[1]}
    if not entries or (len(entries) == 1 and ("series", *drawer.styles) in entries):
        return None, 0.0  # the title says what the only series is
    labels = [wrap_text(figure, label, room - 0.6, 9) for _, label in entries]
    labels = [f" {label}" if label.startswith("_") else label for label in labels]  # matplotlib leaves out `_name`
    vertical = _vertical_handler()
    handlers = {handle: vertical for (kind, _), handle in entries.items() if kind == "vertical"}
    for columns in range(len(labels), 0, -1):
        legend = figure.legend(
            list(entries.values()), labels, loc="upper left", ncols=columns, handlelength=3.2, borderaxespad=0,
            borderpad=0.2, columnspacing=1.8, handler_map=handlers,
        )  # fmt: skip
        legend.set_in_layout(False)
        box = legend.get_window_extent(figure.canvas.get_renderer())
        if box.width / figure.dpi <= room or columns == 1:
            break
        legend.remove()
    return legend, box.height / figure.dpi + 0.04


def _vertical_handler() -> Any:
    """Return a handler that draws the sample of a vertical line in the legend vertically too."""
    from matplotlib.legend_handler import HandlerLine2D

    class VerticalHandler(HandlerLine2D):
        def create_artists(self, *place: Any, **named: Any) -> Any:
            lines: Any = super().create_artists(*place, **named)
            left, down, width, height = place[2:6]
            lines[0].set_data([width / 2 - left] * 2, [-0.35 * height - down, 1.35 * height - down])
            return lines

    return VerticalHandler()


def _panel_height(panel: Panel, columns: int) -> float:
    """Return the height of one row in inches: bars need room for each of their names."""
    if not panel.has_bars:
        return 3.4 if columns == 1 else 2.5
    names = {str(y) for s in panel.series for y in s.y}
    return 0.8 + len(names) * max(0.3, 0.17 * len(panel.series))


@contextmanager
def _import_alone() -> Iterator[None]:
    """Import matplotlib without the working directory and other programs.

    While it is imported it reads a matplotlibrc of the working directory, which may be anybody's, or a pipe, and asks
    `fc-list` of the PATH for fonts; our plots have the font that it brings.
    """
    path = os.environ.get("PATH")
    os.environ["PATH"] = os.devnull
    try:
        with chdir(Path(__file__).parent):
            yield
    finally:
        if path is None:
            del os.environ["PATH"]
        else:
            os.environ["PATH"] = path
