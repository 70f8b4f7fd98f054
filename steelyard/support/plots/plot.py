"""Plots of series in panels, readable without colour.

Knows no study. Everything that needs a name stands in one legend outside the panels, so that no label covers data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.support.plots.axes import Sheet
from steelyard.support.plots.fonts import fit, legible
from steelyard.support.plots.panels import Panel, Series
from steelyard.support.plots.picture import Picture

__all__ = ["Panel", "Plot", "Series"]
EDGE = 0.09  # inches around everything


@dataclass(frozen=True, slots=True)
class Plot(Picture):
    """Panels in rows of `columns`, under one title, with one legend and a note below; `share_y` gives all one scale."""

    title: str
    panels: Sequence[Panel]
    columns: int = 1
    note: str = ""
    share_y: bool = False

    def __post_init__(self) -> None:
        if not self.panels or self.columns < 1:
            raise ValueError(f"plot {self.title!r}: needs at least one panel and one column")

    def draw(self, figure: Any) -> None:
        sheet = Sheet(figure, self.panels)
        columns = min(self.columns, len(self.panels))
        rows = math.ceil(len(self.panels) / columns)
        width = {1: 7.0, 2: 8.6}.get(columns, 3.4 * columns)
        heights = [max(_height(p, columns) for p in self.panels[r * columns :][:columns]) for r in range(rows)]
        figure.set_size_inches(width, sum(heights))
        grid = figure.add_gridspec(rows, columns, height_ratios=heights)
        first = None
        for i, panel in enumerate(self.panels):
            axes = figure.add_subplot(grid[i // columns, i % columns], sharey=first if self.share_y else None)
            first = first or axes
            sheet.draw_panel(axes, panel, width / columns, heights[i // columns])
        self._draw_around(sheet, width, sum(heights))

    def _draw_around(self, sheet: Sheet, width: float, height: float) -> None:
        """Title and legend above the panels, note below; the figure grows by what they need."""
        figure = sheet.figure
        title = fit(figure, self.title, width - 2 * EDGE, 12, lines=4, bold=True)
        note = fit(figure, self.note, width - 2 * EDGE, 8, lines=8)
        below = (note.count("\n") + 1) * 8 * 1.35 / 72 + EDGE if note else 0.0
        above = (title.count("\n") + 1) * 12 * 1.3 / 72 + EDGE if title else 0.0
        legend, tall = _legend(sheet, width - 2 * EDGE)
        total = height + above + tall + below
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


def _legend(sheet: Sheet, room: float) -> tuple[Any, float]:
    """The legend in as few lines as fit the room, and its height in inches."""
    entries = {key: handle for key, handle in sheet.legend.items() if key[1]}
    if not entries or (len(entries) == 1 and ("series", *sheet.looks) in entries):
        return None, 0.0  # the title says what the only series is
    labels = [legible(fit(sheet.figure, label, room - 0.6, 9)) for _, label in entries]
    upright = _upright_handler()
    uprights = {handle: upright for (kind, _), handle in entries.items() if kind == "upright"}
    for columns in range(len(labels), 0, -1):
        legend = sheet.figure.legend(
            list(entries.values()), labels, loc="upper left", ncols=columns, handlelength=3.2, borderaxespad=0,
            borderpad=0.2, columnspacing=1.8, handler_map=uprights,
        )  # fmt: skip
        legend.set_in_layout(False)
        box = legend.get_window_extent(sheet.figure.canvas.get_renderer())
        if box.width / sheet.figure.dpi <= room or columns == 1:
            break
        legend.remove()
    return legend, box.height / sheet.figure.dpi + 0.04


def _upright_handler() -> Any:
    """Draws the sample of a vertical line in the legend upright too."""
    from matplotlib.legend_handler import HandlerLine2D

    class Upright(HandlerLine2D):
        def create_artists(self, *place: Any, **named: Any) -> Any:
            lines: Any = super().create_artists(*place, **named)
            left, down, width, height = place[2:6]
            lines[0].set_data([width / 2 - left] * 2, [-0.35 * height - down, 1.35 * height - down])
            return lines

    return Upright()


def _height(panel: Panel, columns: int) -> float:
    """Inches of one row: bars need room for each of their names."""
    if not panel.lying:
        return 3.4 if columns == 1 else 2.5
    names = {str(y) for s in panel.series for y in s.y}
    return 0.8 + len(names) * max(0.3, 0.17 * len(panel.series))
