"""Panels drawn into their axes, and what of them the legend has to explain."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from steelyard.support.plots.fonts import fit, plain
from steelyard.support.plots.panels import Panel, Series
from steelyard.support.plots.styles import GREY, RULES, Look


@dataclass(slots=True)
class Sheet:
    """A figure, the panels that go into it, the look of each series, and the legend as it grows."""

    figure: Any
    panels: Sequence[Panel]
    looks: dict[str, Look] = field(init=False)
    legend: dict[tuple[str, str], Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = dict.fromkeys(s.name for p in self.panels for s in p.series)
        self.looks = {name: Look.number(i) for i, name in enumerate(names)}

    def draw_panel(self, axes: Any, panel: Panel, inches: float, high: float) -> None:
        # What the names beside the axes leave; panels above each other are given the same width.
        room = inches * (0.58 if any(p.lying for p in self.panels) else 0.74)
        axes.set_title(fit(self.figure, panel.title, room, 10, bold=True), fontweight="bold")
        axes.set_xlabel(fit(self.figure, panel.x_label, room, 9))
        axes.set_ylabel(fit(self.figure, panel.y_label, high * 0.72, 9))
        if panel.log_x:
            axes.set_xscale("log")
        if panel.lying:
            self.draw_bars(axes, panel, inches)
        else:
            self.draw_points(axes, panel)
        self.draw_rules(axes, panel)
        _set_ticks(axes, panel, few=inches < 4)
        if not any(x is not None and y is not None for s in panel.series for x, y in zip(s.x, s.y, strict=True)):
            axes.set(xticks=[], yticks=[])
            axes.text(0.5, 0.5, "no values", transform=axes.transAxes, ha="center", va="center", color=GREY)

    def draw_points(self, axes: Any, panel: Panel) -> None:
        from matplotlib.transforms import ScaledTranslation

        spread = [s.name for s in panel.series if s.low is not None]
        step = min(4.5, 20 / max(1, len(spread)))
        for series in panel.series:
            look = self.looks[series.name]
            # Intervals at one x would hide each other: each series stands a few points beside the next.
            place = spread.index(series.name) - (len(spread) - 1) / 2 if series.low is not None else 0.0
            beside = ScaledTranslation(place * step / 72, 0, self.figure.dpi_scale_trans)
            where = {"transform": axes.transData + beside}
            x, y = _numbers(series.x), _numbers(series.y)
            low, high = _interval(series, y)
            filled = [True] * len(x) if series.marks is None else list(series.marks)
            if series.style == "line":
                axes.plot(x, y, color=look.colour, linestyle=look.line, linewidth=1.5, zorder=3, **where)
            axes.vlines(x, low, high, color=look.colour, linewidth=1.1, zorder=3.5, **where)
            for ends in (low, high):
                axes.plot(x, ends, "_", color=look.colour, markersize=5, markeredgewidth=1.1, zorder=3.5, **where)
            for edge in (low, y, high):
                _reach(axes, x, edge)
            for full in (True, False):
                chosen = [i for i, f in enumerate(filled) if f is full]
                if chosen:
                    points = look.point(full=full)
                    axes.plot([x[i] for i in chosen], [y[i] for i in chosen], zorder=4, **points, **where)
            self.explain_points(series, look)
        axes.margins(x=0.08, y=0.08)

    def explain_points(self, series: Series, look: Look) -> None:
        from matplotlib.lines import Line2D

        line = {"color": look.colour, "linestyle": look.line if series.style == "line" else "none", "linewidth": 1.5}
        marks = [True] if series.marks is None else series.marks
        self.legend.setdefault(("series", series.name), Line2D([], [], **{**look.point(full=any(marks)), **line}))
        if series.open_name:
            self.legend.setdefault(("open", series.open_name), Line2D([], [], **look.point(full=False)))

    def draw_bars(self, axes: Any, panel: Panel, inches: float) -> None:
        """Groups of bars from the top; a group holds one bar of every series."""
        from matplotlib.patches import Patch

        names = list(dict.fromkeys(str(y) for s in panel.series for y in s.y))
        thick = 0.72 / len(panel.series)
        for number, series in enumerate(panel.series):
            look = self.looks[series.name]
            shift = (number - (len(panel.series) - 1) / 2) * thick
            places = [names.index(str(y)) + shift for y in series.y]
            values = _numbers(series.x)
            filled = [True] * len(values) if series.marks is None else list(series.marks)
            for place, value, full in zip(places, values, filled, strict=True):
                axes.barh(place, value, height=thick * 0.9, zorder=2, **look.face(full=full))
            low, high = _interval(series, values)
            axes.hlines(places, low, high, color="black", linewidth=1.1, zorder=3)
            for ends in (low, high):
                axes.plot(ends, places, "|", color="black", markersize=5, markeredgewidth=1.1, zorder=3)
            self.legend.setdefault(("series", series.name), Patch(**look.face(full=any(filled))))
            if series.open_name:
                self.legend.setdefault(("open", series.open_name), Patch(**look.face(full=False)))
        axes.set_yticks(range(len(names)), [fit(self.figure, n, max(1.2, inches * 0.3), 8.5) for n in names])
        axes.set_ylim(len(names) - 0.45, -0.55)
        axes.tick_params(axis="y", length=0)
        axes.grid(visible=False, axis="y")
        axes.axvline(0, color=GREY, linewidth=0.8, zorder=2.5)

    def draw_rules(self, axes: Any, panel: Panel) -> None:
        from matplotlib.lines import Line2D

        for kind, lines, draw in (("rule", panel.rules, axes.axhline), ("upright", panel.uprights, axes.axvline)):
            labels = list(
                dict.fromkeys(label for p in self.panels for _, label in (p.rules if kind == "rule" else p.uprights))
            )
            for value, label in lines:
                # Uprights begin with another dash than rules: where both have one label each, they differ.
                dash = RULES[(labels.index(label) + (kind == "upright")) % len(RULES)]
                draw(value, color="black", linewidth=1.1, linestyle=dash, zorder=2.6 if panel.lying else 1.8)
                self.legend.setdefault((kind, label), Line2D([], [], color="black", linewidth=1.1, linestyle=dash))


def _reach(axes: Any, x: list[float], y: list[float]) -> None:
    """Make the axes reach these points: matplotlib overlooks what is drawn beside its place."""
    points = [(a, b) for a, b in zip(x, y, strict=True) if math.isfinite(a) and math.isfinite(b)]
    if points:
        axes.update_datalim(points)
        axes.autoscale_view()


def _set_ticks(axes: Any, panel: Panel, *, few: bool) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter

    if panel.log_x:  # the usual labels are formulas, which are switched off
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
    elif few:
        axes.locator_params(axis="x", nbins=5)
    if panel.x_ticks is not None:
        pairs = [tick if isinstance(tick, tuple) else (tick, f"{tick:g}") for tick in panel.x_ticks]
        axes.set_xticks([v for v, _ in pairs], [plain(label) for _, label in pairs])
        axes.xaxis.set_tick_params(which="minor", length=0)


def _interval(series: Series, values: list[float]) -> tuple[list[float], list[float]]:
    """The bounds at every value; none where there is no value."""
    nothing = [None] * len(values)
    low, high = (_numbers(bounds or nothing) for bounds in (series.low, series.high))
    for i, value in enumerate(values):
        if math.isnan(value):
            low[i] = high[i] = math.nan
    return low, high


def _numbers(values: Iterable[Any]) -> list[float]:
    return [math.nan if v is None else float(v) for v in values]
