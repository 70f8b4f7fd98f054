"""Plots of series in panels, as PNG and SVG: the same bytes in every run, readable without colour.

Knows no study. Everything that needs a name stands in one legend outside the panels, so that no label covers data.
"""

from __future__ import annotations

import functools
import io
import math
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from steelyard.base.artifacts import write_bytes
from steelyard.base.errors import MissingExtra
from steelyard.render import escape

Number = float | None
Rule = tuple[float, str]  # a value and its label in the legend; "" for none

# Okabe and Ito's colours, told apart by colour-blind readers, without the yellow that is too pale for lines.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#AA4499", "#E69F00", "#56B4E9", "#222222")
LINES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (1.2, 1.5)), (0, (6, 1.6, 1.2, 1.6)), (0, (3, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "----")
RULES: tuple[Any, ...] = ((0, (5, 2.5)), (0, (1.2, 2)), (0, (5, 2, 1.2, 2)), (0, (9, 3)))
GREY = "#555555"
STYLES = ("line", "points", "bars")

_SETTINGS: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": GREY,
    "axes.grid": True,
    "axes.labelsize": 9,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "figure.constrained_layout.use": True,
    "font.family": ["DejaVu Sans"],  # comes with matplotlib: the same letters on every machine
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
class Series:
    """One named sequence of values; a None among them is a gap, never a zero.

    `low` and `high` are an interval around each value, which need not hold it. `marks` says which points are filled
    (True) and which are open; `open_name` is what the legend calls the open ones. Series of one name look alike in
    all panels. With the style "bars" x holds the values and their interval, y the names of the bars from the top.
    """

    name: str
    x: Sequence[Number]
    y: Sequence[Number] | Sequence[str]
    low: Sequence[Number] | None = None
    high: Sequence[Number] | None = None
    marks: Sequence[bool] | None = None
    style: str = "line"
    open_name: str = ""

    def __post_init__(self) -> None:
        if self.style not in STYLES:
            raise ValueError(f"series {self.name!r}: style {self.style!r} is none of {', '.join(STYLES)}")
        for name in ("y", "low", "high", "marks"):
            other = getattr(self, name)
            if other is not None and len(other) != len(self.x):
                raise ValueError(f"series {self.name!r}: {len(self.x)} values in x and {len(other)} in {name}")
        if (self.low is None) != (self.high is None):
            raise ValueError(f"series {self.name!r}: an interval needs both low and high")


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes. `rules` are horizontal lines, `uprights` vertical ones; x_label stands below, y_label left."""

    title: str
    series: Sequence[Series]
    x_label: str = ""
    y_label: str = ""
    rules: Sequence[Rule] = ()
    uprights: Sequence[Rule] = ()
    x_ticks: Sequence[float | tuple[float, str]] | None = None
    log_x: bool = False

    def __post_init__(self) -> None:
        kinds = {s.style == "bars" for s in self.series}
        if len(kinds) > 1:
            raise ValueError(f"panel {self.title!r}: bars and lines cannot share a panel")
        if self.log_x and any(x is not None and x <= 0 for s in self.series for x in s.x):
            raise ValueError(f"panel {self.title!r}: a logarithmic axis has no place for x <= 0")

    @property
    def lying(self) -> bool:
        """Whether it shows horizontal bars."""
        return any(s.style == "bars" for s in self.series)


@dataclass(frozen=True, slots=True)
class Plot:
    """Panels in rows of `columns`, under one title, with one legend and a note below; `share_y` gives all one scale."""

    title: str
    panels: Sequence[Panel]
    columns: int = 1
    note: str = ""
    share_y: bool = False

    def __post_init__(self) -> None:
        if not self.panels or self.columns < 1:
            raise ValueError(f"plot {self.title!r}: needs at least one panel and one column")

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
            matplotlib.rcParams.update(_SETTINGS)
            figure = Figure()
            FigureCanvasAgg(figure)
            _Drawing(self, figure).draw()
            png, svg = io.BytesIO(), io.BytesIO()
            # What metadata there is by default names a version and a time.
            figure.savefig(png, format="png", dpi=160, metadata={"Software": None})
            figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None, "Title": _plain(self.title)})
        return png.getvalue(), svg.getvalue()


@dataclass(frozen=True, slots=True)
class _Look:
    """How the series of one name is drawn everywhere."""

    colour: str
    line: Any
    marker: str
    hatch: str


@dataclass(slots=True)
class _Drawing:
    plot: Plot
    figure: Any
    looks: dict[str, _Look] = field(default_factory=dict)
    legend: dict[tuple[str, str], Any] = field(default_factory=dict)

    def draw(self) -> None:
        plot, figure = self.plot, self.figure
        for i, name in enumerate(dict.fromkeys(s.name for p in plot.panels for s in p.series)):
            self.looks[name] = _Look(*(each[i % len(each)] for each in (COLOURS, LINES, MARKERS, HATCHES)))
        columns = min(plot.columns, len(plot.panels))
        rows = math.ceil(len(plot.panels) / columns)
        width = {1: 7.0, 2: 8.6}.get(columns, 3.4 * columns)
        heights = [max(_height(p, columns) for p in plot.panels[r * columns :][:columns]) for r in range(rows)]
        figure.set_size_inches(width, sum(heights))
        grid = figure.add_gridspec(rows, columns, height_ratios=heights)
        first = None
        for i, panel in enumerate(plot.panels):
            axes = figure.add_subplot(grid[i // columns, i % columns], sharey=first if plot.share_y else None)
            first = first or axes
            self.draw_panel(axes, panel, width / columns, heights[i // columns])
        self.draw_around(width, sum(heights))

    def draw_around(self, width: float, height: float) -> None:
        """Title and legend above the panels, note below; the figure grows by what they need."""
        edge = 0.09
        title = self.fit(self.plot.title, width - 2 * edge, 12, lines=4, bold=True)
        note = self.fit(self.plot.note, width - 2 * edge, 8, lines=8)
        below = (note.count("\n") + 1) * 8 * 1.35 / 72 + edge if note else 0.0
        above = (title.count("\n") + 1) * 12 * 1.3 / 72 + edge if title else 0.0
        legend, tall = self.make_legend(width - 2 * edge)
        total = height + above + tall + below
        self.figure.set_size_inches(width, total)
        if title:
            self.figure.text(edge / width, 1 - edge / total, title, va="top", fontsize=12, fontweight="bold")
        if note:
            self.figure.text(edge / width, edge / total, note, va="bottom", fontsize=8, color="#333333")
        if legend:
            legend.set_bbox_to_anchor((edge / width, 1 - above / total))
        self.figure.get_layout_engine().set(
            w_pad=edge, h_pad=edge, wspace=0.03, hspace=0.03, rect=(0, below / total, 1, height / total)
        )

    def fit(self, text: str, inches: float, points: float, *, lines: int = 2, bold: bool = False) -> str:
        """The text in lines of at most so many inches, about equally long; what is over is cut with an ellipsis."""
        from matplotlib.font_manager import FontProperties

        font = FontProperties(family="DejaVu Sans", size=points, weight="bold" if bold else "normal")
        measure = self.figure.canvas.get_renderer().get_text_width_height_descent

        def broad(columns: int) -> bool:
            wrapped = textwrap.wrap(shown, columns)
            return any(measure(line, font, False)[0] > inches * self.figure.dpi for line in wrapped)

        shown = _plain(text)
        columns = max(1, len(shown))
        while columns > 1 and broad(columns):
            columns = columns * 9 // 10
        wanted = len(textwrap.wrap(shown, columns))
        while columns > 1 and wanted <= lines and len(textwrap.wrap(shown, columns - 1)) == wanted:
            columns -= 1  # no single word in the last line
        return "\n".join(textwrap.wrap(shown, columns, max_lines=lines, placeholder=" …"))

    def make_legend(self, room: float) -> tuple[Any, float]:
        """The legend in as few lines as fit the room, and its height in inches."""
        entries = {key: handle for key, handle in self.legend.items() if key[1]}
        if not entries or (len(entries) == 1 and ("series", *self.looks) in entries):
            return None, 0.0  # the title says what the only series is
        labels = [_legible(self.fit(label, room - 0.6, 9)) for _, label in entries]
        upright = _upright_handler()
        uprights = {handle: upright for (kind, _), handle in entries.items() if kind == "upright"}
        for columns in range(len(labels), 0, -1):
            legend = self.figure.legend(
                list(entries.values()), labels, loc="upper left", ncols=columns, handlelength=3.2, borderaxespad=0,
                borderpad=0.2, columnspacing=1.8, handler_map=uprights,
            )  # fmt: skip
            legend.set_in_layout(False)
            box = legend.get_window_extent(self.figure.canvas.get_renderer())
            if box.width / self.figure.dpi <= room or columns == 1:
                break
            legend.remove()
        return legend, box.height / self.figure.dpi + 0.04

    def draw_panel(self, axes: Any, panel: Panel, inches: float, high: float) -> None:
        # What the names beside the axes leave; panels above each other are given the same width.
        room = inches * (0.58 if any(p.lying for p in self.plot.panels) else 0.74)
        axes.set_title(self.fit(panel.title, room, 10, bold=True), fontweight="bold")
        axes.set_xlabel(self.fit(panel.x_label, room, 9))
        axes.set_ylabel(self.fit(panel.y_label, high * 0.72, 9))
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
                    points = _marker(look, full=full)
                    axes.plot([x[i] for i in chosen], [y[i] for i in chosen], zorder=4, **points, **where)
            self.explain_points(series, look)
        axes.margins(x=0.08, y=0.08)

    def explain_points(self, series: Series, look: _Look) -> None:
        from matplotlib.lines import Line2D

        line = {"color": look.colour, "linestyle": look.line if series.style == "line" else "none", "linewidth": 1.5}
        marks = [True] if series.marks is None else series.marks
        self.legend.setdefault(("series", series.name), Line2D([], [], **{**_marker(look, full=any(marks)), **line}))
        if series.open_name:
            self.legend.setdefault(("open", series.open_name), Line2D([], [], **_marker(look, full=False)))

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
                axes.barh(place, value, height=thick * 0.9, zorder=2, **_face(look, full=full))
            low, high = _interval(series, values)
            axes.hlines(places, low, high, color="black", linewidth=1.1, zorder=3)
            for ends in (low, high):
                axes.plot(ends, places, "|", color="black", markersize=5, markeredgewidth=1.1, zorder=3)
            self.legend.setdefault(("series", series.name), Patch(**_face(look, full=any(filled))))
            if series.open_name:
                self.legend.setdefault(("open", series.open_name), Patch(**_face(look, full=False)))
        axes.set_yticks(range(len(names)), [self.fit(n, max(1.2, inches * 0.3), 8.5) for n in names])
        axes.set_ylim(len(names) - 0.45, -0.55)
        axes.tick_params(axis="y", length=0)
        axes.grid(visible=False, axis="y")
        axes.axvline(0, color=GREY, linewidth=0.8, zorder=2.5)

    def draw_rules(self, axes: Any, panel: Panel) -> None:
        from matplotlib.lines import Line2D

        for kind, lines, draw in (("rule", panel.rules, axes.axhline), ("upright", panel.uprights, axes.axvline)):
            labels = list(
                dict.fromkeys(
                    label for p in self.plot.panels for _, label in (p.rules if kind == "rule" else p.uprights)
                )
            )
            for value, label in lines:
                # Uprights begin with another dash than rules: where both have one label each, they differ.
                dash = RULES[(labels.index(label) + (kind == "upright")) % len(RULES)]
                draw(value, color="black", linewidth=1.1, linestyle=dash, zorder=2.6 if panel.lying else 1.8)
                self.legend.setdefault((kind, label), Line2D([], [], color="black", linewidth=1.1, linestyle=dash))


def _marker(look: _Look, *, full: bool) -> dict[str, Any]:
    return {
        "marker": look.marker,
        "color": look.colour,
        "linestyle": "none",
        "markersize": 6,
        "markeredgewidth": 1.3,
        "markeredgecolor": look.colour,
        "markerfacecolor": look.colour if full else "white",
    }


def _face(look: _Look, *, full: bool) -> dict[str, Any]:
    return {
        "facecolor": look.colour + ("99" if full else "00"),
        "edgecolor": look.colour,
        "hatch": look.hatch,
        "linewidth": 1.0,
    }


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
        axes.set_xticks([v for v, _ in pairs], [_plain(label) for _, label in pairs])
        axes.xaxis.set_tick_params(which="minor", length=0)


def _height(panel: Panel, columns: int) -> float:
    """Inches of one row: bars need room for each of their names."""
    if not panel.lying:
        return 3.4 if columns == 1 else 2.5
    names = {str(y) for s in panel.series for y in s.y}
    return 0.8 + len(names) * max(0.3, 0.17 * len(panel.series))


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


@functools.cache
def _letters() -> frozenset[int]:
    from matplotlib import font_manager

    return frozenset(font_manager.get_font(font_manager.findfont("DejaVu Sans")).get_charmap())


def _plain(text: str) -> str:
    """Text in one line that the font can show; what it has no letter for becomes a question mark in a diamond."""
    letters = _letters()
    return "".join(c if ord(c) in letters else "\ufffd" for c in escape.visible(text))


def _legible(label: str) -> str:
    """A legend leaves out names that begin with an underscore."""
    return f" {label}" if label.startswith("_") else label
