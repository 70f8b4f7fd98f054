"""Series and panels of a plot, and how a panel is drawn into its axes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from steelyard.support.plots.styles import DASHES, GREY, SeriesStyle, wrap_text

Number = float | None
Line = tuple[float, str]  # a value and its label in the legend; "" for none
STYLES = ("line", "bars")


@dataclass(frozen=True, slots=True)
class Series:
    """One named sequence of values; None is a gap, never a zero.

    `low` and `high` are an interval for each value, which need not contain it. `filled` says which points are filled
    (True) and which are open; `open_label` is the legend's name for the open ones. Series of one name look alike in
    all panels. With the style "bars", x holds the values and their interval, y the names of the bars from the top.
    """

    name: str
    x: Sequence[Number]
    y: Sequence[Number] | Sequence[str]
    low: Sequence[Number] | None = None
    high: Sequence[Number] | None = None
    filled: Sequence[bool] | None = None
    style: str = "line"
    open_label: str = ""

    def __post_init__(self) -> None:
        if self.style not in STYLES:
            raise ValueError(f"series {self.name!r}: style {self.style!r} is none of {', '.join(STYLES)}")
        for name in ("y", "low", "high", "filled"):
            other = getattr(self, name)
            if other is not None and len(other) != len(self.x):
                raise ValueError(f"series {self.name!r}: {len(self.x)} values in x and {len(other)} in {name}")
        if (self.low is None) != (self.high is None):
            raise ValueError(f"series {self.name!r}: an interval needs both low and high")


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes with its series, and labelled lines across it; series of bars are horizontal."""

    title: str
    series: Sequence[Series]
    x_label: str = ""
    y_label: str = ""
    horizontal_lines: Sequence[Line] = ()
    vertical_lines: Sequence[Line] = ()
    x_ticks: Sequence[float] | None = None

    def __post_init__(self) -> None:
        if len({s.style == "bars" for s in self.series}) > 1:
            raise ValueError(f"panel {self.title!r}: bars and lines cannot share a panel")

    @property
    def has_bars(self) -> bool:
        return any(s.style == "bars" for s in self.series)


@dataclass(slots=True)
class PanelDrawer:
    """A figure, the panels that belong in it, the style of each series, and the entries of the legend."""

    figure: Any
    panels: Sequence[Panel]
    styles: dict[str, SeriesStyle] = field(init=False)
    legend: dict[tuple[str, str], Any] = field(default_factory=dict)  # by kind and label

    def __post_init__(self) -> None:
        names = dict.fromkeys(s.name for p in self.panels for s in p.series)
        self.styles = {name: SeriesStyle.at(i) for i, name in enumerate(names)}

    def draw_panel(self, axes: Any, panel: Panel, width: float, height: float) -> None:
        """Draw a panel of so many inches."""
        # The names of bars stand left of the axes; panels above each other get the same width.
        room = width * (0.58 if any(p.has_bars for p in self.panels) else 0.74)
        axes.set_title(wrap_text(self.figure, panel.title, room, 10, bold=True))
        axes.set_xlabel(wrap_text(self.figure, panel.x_label, room, 9))
        axes.set_ylabel(wrap_text(self.figure, panel.y_label, height * 0.72, 9))
        if panel.has_bars:
            self._draw_bars(axes, panel, width)
        else:
            self._draw_points(axes, panel)
        for kind, lines in (("horizontal", panel.horizontal_lines), ("vertical", panel.vertical_lines)):
            for value, label in lines:
                self._draw_line(axes, kind, value, label, zorder=2.6 if panel.has_bars else 1.8)
        if width < 4:
            axes.locator_params(axis="x", nbins=5)
        if panel.x_ticks is not None:
            axes.set_xticks(panel.x_ticks, [f"{tick:g}" for tick in panel.x_ticks])
        if not any(x is not None and y is not None for s in panel.series for x, y in zip(s.x, s.y, strict=True)):
            axes.set(xticks=[], yticks=[])
            axes.text(0.5, 0.5, "no values", transform=axes.transAxes, ha="center", va="center", color=GREY)

    def _draw_points(self, axes: Any, panel: Panel) -> None:
        from matplotlib.lines import Line2D
        from matplotlib.transforms import ScaledTranslation

        with_interval = [s.name for s in panel.series if s.low is not None]
        step = min(4.5, 20 / max(1, len(with_interval)))
        for series in panel.series:
            style = self.styles[series.name]
            # Intervals at one x would hide each other: each series is shifted a few points.
            place = 0.0 if series.low is None else with_interval.index(series.name) - (len(with_interval) - 1) / 2
            shift = ScaledTranslation(place * step / 72, 0, self.figure.dpi_scale_trans)
            shifted = {"transform": axes.transData + shift}
            x, y = _to_floats(series.x), _to_floats(series.y)
            low, high = _read_interval(series, y)
            line = {"linestyle": style.line, "linewidth": 1.5}
            axes.plot(x, y, color=style.colour, zorder=3, **line, **shifted)
            axes.vlines(x, low, high, color=style.colour, linewidth=1.1, zorder=3.5, **shifted)
            for ends in (low, high):
                axes.plot(x, ends, "_", color=style.colour, markersize=5, markeredgewidth=1.1, zorder=3.5, **shifted)
            # Matplotlib does not count what is drawn with a transform of its own when it chooses the limits.
            axes.update_datalim(list(zip(x * 3, low + y + high, strict=True)))
            axes.autoscale_view()
            filled = _list_filled(series)
            for is_filled in (True, False):
                chosen = [i for i, each in enumerate(filled) if each is is_filled]
                if chosen:
                    options = style.marker_options(filled=is_filled)
                    axes.plot([x[i] for i in chosen], [y[i] for i in chosen], zorder=4, **options, **shifted)
            sample = Line2D([], [], **{**style.marker_options(filled=any(filled) or not filled), **line})
            self._explain(series, sample, Line2D([], [], **style.marker_options(filled=False)))
        axes.margins(x=0.08, y=0.08)

    def _draw_bars(self, axes: Any, panel: Panel, width: float) -> None:
        """Draw groups of bars from the top; a group has one bar of every series."""
        from matplotlib.patches import Patch

        names = list(dict.fromkeys(str(y) for s in panel.series for y in s.y))
        thickness = 0.72 / len(panel.series)
        for number, series in enumerate(panel.series):
            style = self.styles[series.name]
            shift = (number - (len(panel.series) - 1) / 2) * thickness
            places = [names.index(str(y)) + shift for y in series.y]
            values, filled = _to_floats(series.x), _list_filled(series)
            for place, value, is_filled in zip(places, values, filled, strict=True):
                axes.barh(place, value, height=thickness * 0.9, zorder=2, **style.bar_options(filled=is_filled))
            low, high = _read_interval(series, values)
            axes.hlines(places, low, high, color="black", linewidth=1.1, zorder=3)
            for ends in (low, high):
                axes.plot(ends, places, "|", color="black", markersize=5, markeredgewidth=1.1, zorder=3)
            sample = Patch(**style.bar_options(filled=any(filled)))
            self._explain(series, sample, Patch(**style.bar_options(filled=False)))
        axes.set_yticks(range(len(names)), [wrap_text(self.figure, n, max(1.2, width * 0.3), 8.5) for n in names])
        axes.set_ylim(len(names) - 0.45, -0.55)
        axes.tick_params(axis="y", length=0)
        axes.grid(visible=False, axis="y")
        axes.axvline(0, color=GREY, linewidth=0.8, zorder=2.5)

    def _explain(self, series: Series, sample: Any, open_sample: Any) -> None:
        """Add a series to the legend, and what its open points or bars mean."""
        self.legend.setdefault(("series", series.name), sample)
        if series.open_label:
            self.legend.setdefault(("open", series.open_label), open_sample)

    def _draw_line(self, axes: Any, kind: str, value: float, label: str, zorder: float) -> None:
        from matplotlib.lines import Line2D

        of_kind = [p.horizontal_lines if kind == "horizontal" else p.vertical_lines for p in self.panels]
        labels = list(dict.fromkeys(label for lines in of_kind for _, label in lines))
        # Vertical lines start with another dash than horizontal ones: where both have one label each, they differ.
        dash = DASHES[(labels.index(label) + (kind == "vertical")) % len(DASHES)]
        options = {"color": "black", "linewidth": 1.1, "linestyle": dash}
        draw = axes.axhline if kind == "horizontal" else axes.axvline
        draw(value, zorder=zorder, **options)
        self.legend.setdefault((kind, label), Line2D([], [], **options))


def _read_interval(series: Series, values: list[float]) -> tuple[list[float], list[float]]:
    """Return the bounds at every value; NaN where there is no value."""
    if series.low is None or series.high is None:
        return [math.nan] * len(values), [math.nan] * len(values)
    low, high = (
        [math.nan if math.isnan(value) else bound for value, bound in zip(values, _to_floats(bounds), strict=True)]
        for bounds in (series.low, series.high)
    )
    return low, high


def _list_filled(series: Series) -> list[bool]:
    return [True] * len(series.x) if series.filled is None else list(series.filled)


def _to_floats(values: Iterable[Any]) -> list[float]:
    return [math.nan if v is None else float(v) for v in values]
