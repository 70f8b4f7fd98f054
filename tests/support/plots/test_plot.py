"""Plots: the same bytes everywhere, nothing clipped or covered, no text taken for a formula."""

import contextlib
import functools
import hashlib
import math
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from steelyard.errors import CannotWrite, MissingExtra
from steelyard.support.plots.panels import PanelDrawer
from steelyard.support.plots.plot import Panel, Plot, Series
from steelyard.support.plots.styles import SETTINGS

ROOT = Path(__file__).resolve().parents[3]
DOSES = (1, 2, 4, 8)
ODD = [
    "a price of $5 or $6",
    r"$\frac{1}{",
    "_hidden",
    "漢字\n\x1b[31m\u202e",
    "W" * 80,
    "many words " * 16,
    "&<b>'\"",
    "",
]


def lines() -> Plot:
    series = [
        Series(name, DOSES, [i + d / 2 for d in DOSES], [i + d / 2 - 1 for d in DOSES], [i + d / 2 + 1 for d in DOSES])
        for i, name in enumerate(("statistics", "quotations", "control"))
    ]
    panel = Panel("doses", series, "dose", "points", horizontal_lines=((0.0, "no change"),), x_ticks=DOSES)
    return Plot("Dose and response", [panel], note="Whiskers are 95% intervals.")


def profiles() -> Plot:
    x = [0.0, 0.1, 0.2, 0.3]
    panels = [
        Panel(
            f"component_{i}",
            [Series("passes", x, [0.9, 0.95, None, 0.7], filled=[True, True, True, False], open_label="fails")],
            horizontal_lines=((0.8, "floor"),),
            vertical_lines=((0.1 + i / 50, "released weight"),),
        )
        for i in range(4)
    ]
    return Plot("Profiles", panels, columns=2, share_y=True)


def bars() -> Plot:
    names = ["cite sources", "keyword stuffing", "plain words"]
    first = Series("2024", [8.0, -3.0, None], names, [7.0, -4.0, None], [9.0, -2.0, None], style="bars")
    second = Series("2026", [6.0, -1.0, 0.5], names, style="bars", filled=[True, True, False], open_label="holds zero")
    return Plot("Strategies", [Panel("", [first, second], "points", vertical_lines=((5.0, "promised"),))])


def mixed() -> Plot:
    return Plot("Points and bars", [profiles().panels[0], bars().panels[0]])


def odd() -> Plot:
    series = [Series(name, DOSES, [i, i + 1, None, i]) for i, name in enumerate(ODD[:5])]
    values = [1.0] * len(ODD)
    return Plot(
        "".join(ODD),
        [
            Panel(
                ODD[1],
                series,
                ODD[0],
                ODD[5],
                horizontal_lines=((1.0, ODD[0]), (2.0, ODD[4])),
                x_ticks=(1, 4),
            ),
            Panel(ODD[4], [Series(ODD[2], values, ODD, style="bars")], ODD[5]),
            Panel("undefined", [Series("u", [1, None], [None, 2.0])]),
        ],
        columns=2,
        note=" ".join(ODD),
    )


ALL = pytest.mark.parametrize("make", [lines, profiles, bars, odd])


@contextlib.contextmanager
def settings() -> Iterator[None]:
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)
        yield


def canvas() -> Figure:
    with settings():
        figure = Figure()
    FigureCanvasAgg(figure)
    return figure


def draw(plot: Plot) -> Any:
    """The figure as it stands after layout."""
    figure = canvas()
    with settings():
        plot.draw(figure)
        figure.draw_without_rendering()
    return figure


@functools.cache
def figure_of(make: Callable[[], Plot]) -> Any:
    return draw(make())


@functools.cache
def render(make: Callable[[], Plot]) -> tuple[bytes, bytes]:
    return make().render()


def test_both_files_are_written_without_a_date_or_a_version(tmp_path: Path):
    before = dict(matplotlib.rcParams)
    png, svg = bars().write(tmp_path / "fig.v2")
    assert dict(matplotlib.rcParams) == before, "matplotlib's settings stay as they were"
    assert sorted(os.listdir(tmp_path)) == [png.name, svg.name] == ["fig.v2.png", "fig.v2.svg"]
    pixels, drawing = png.read_bytes(), svg.read_bytes()
    assert pixels.startswith(b"\x89PNG")
    assert ET.fromstring(drawing.decode()).tag.endswith("svg")  # noqa: S314 - our own file
    assert b"Software" not in pixels
    assert matplotlib.__version__.encode() not in pixels
    assert not re.search(rb"dc:date|Matplotlib v", drawing)
    assert b"<text" not in drawing, "letters are paths: they look the same without the font"
    with pytest.raises(CannotWrite, match="nowhere"):
        bars().write(tmp_path / "nowhere" / "x")


def test_another_process_with_another_hash_seed_and_matplotlibrc_gives_the_same_bytes(tmp_path: Path):
    (tmp_path / "matplotlibrc").write_text("font.size: 20\nsvg.fonttype: none\nlines.linewidth: 9\n")
    code = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
import test_plot
for data in test_plot.mixed().render():
    print(hashlib.sha256(data).hexdigest())
assert "matplotlib.pyplot" not in sys.modules
"""
    there = subprocess.run(
        [sys.executable, "-c", code, str(Path(__file__).parent)],
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PYTHONHASHSEED": "7",
            "MATPLOTLIBRC": str(tmp_path),
            "TZ": "Asia/Tokyo",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    here = [hashlib.sha256(data).hexdigest() for data in render(mixed)]
    assert there.stdout.split() == here


@ALL
def test_nothing_is_clipped_and_the_legend_covers_no_panel(make: Any):
    figure = figure_of(make)
    whole = figure.bbox
    panels = [a.get_window_extent() for a in figure.axes]
    boxes = [t.get_window_extent() for t in figure.texts] + [x.get_window_extent() for x in figure.legends]
    for box in [*boxes, *(a.get_tightbbox() for a in figure.axes)]:
        assert box.x0 >= whole.x0 - 1
        assert box.x1 <= whole.x1 + 1
        assert box.y0 >= whole.y0 - 1
        assert box.y1 <= whole.y1 + 1
    for i, box in enumerate(boxes):
        others = [*panels, *(b for j, b in enumerate(boxes) if j != i)]
        assert not any(box.overlaps(other) for other in others)


@ALL
def test_every_point_and_bound_lies_inside_its_panel(make: Any):
    plot = make()
    for axes, panel in zip(figure_of(make).axes, plot.panels, strict=True):
        (left, right), (bottom, top) = axes.get_xlim(), sorted(axes.get_ylim())
        for series in panel.series:
            bounds = [*(series.low or []), *(series.high or [])]
            values = [*series.x, *bounds] if panel.has_bars else series.x
            pairs = [(x, y) for x, y in zip(series.x, series.y, strict=True) if x is not None and y is not None]
            if pairs:
                assert all(left <= v <= right for v in values if v is not None)
                if not panel.has_bars:
                    assert all(bottom <= y <= top for y in [*(y for _, y in pairs), *bounds])


def test_dodged_intervals_stay_inside_a_narrow_panel():
    many = [Series(str(i), DOSES, DOSES, DOSES, DOSES) for i in range(12)]
    figure = draw(Plot("t", [Panel("p", many)] * 3, columns=3))
    for axes in figure.axes:
        box = axes.get_window_extent()
        for line in axes.lines:
            points = line.get_transform().transform(line.get_xydata())
            assert (points[:, 0] >= box.x0).all()
            assert (points[:, 0] <= box.x1).all()


def test_text_is_shown_as_it_is_and_never_as_a_formula():
    figure = figure_of(odd)
    shown = [t.get_text() for t in figure.legends[0].get_texts()]
    assert "a price of $5 or $6" in shown
    assert r"$\frac{1}{" in shown
    assert " _hidden" in shown, "matplotlib drops names with an underscore in front"
    assert any(t.startswith("\ufffd\ufffd ") and t.endswith("[31m⟨U+202E⟩") for t in shown)
    assert [t.get_text() for t in figure.axes[0].get_xticklabels()] == ["1", "4"]
    assert all(render(odd))


def test_series_differ_without_colour_and_keep_their_style_in_every_panel():
    names = [str(i) for i in range(20)]
    series = [Series(n, [1, 2], [i, i]) for i, n in enumerate(names)]
    plot = Plot("t", [Panel("a", series), Panel("b", series[::-1])])
    styles = PanelDrawer(canvas(), plot.panels).styles
    figure = draw(plot)
    assert len({(style.line, style.marker) for style in styles.values()}) == 20
    assert len({style.hatch for style in list(styles.values())[:6]}) == 6
    assert list(styles) == names
    first, second = ([line.get_color() for line in a.lines if line.get_marker() == "None"] for a in figure.axes)
    assert first == second[::-1]


def test_a_value_that_is_missing_is_a_gap_and_its_interval_is_not_drawn():
    axes = draw(Plot("t", [Panel("", [Series("s", [1, 2, 3], [1, None, 3], [0, 50, 2], [2, 99, 4])])])).axes[0]
    assert axes.get_ylim()[1] < 10
    assert [math.isnan(v) for v in axes.lines[0].get_ydata()] == [False, True, False]
    figure = draw(Plot("t", [Panel("", []), Panel("", [Series("s", [1], [None])])]))
    assert [[t.get_text() for t in a.texts] for a in figure.axes] == [["no values"], ["no values"]]


def test_what_cannot_be_drawn_is_refused_when_it_is_made():
    cases: dict[str, Callable[[], object]] = {
        "2 values in x and 1 in y": lambda: Series("s", [1, 2], [1]),
        "1 values in x and 2 in filled": lambda: Series("s", [1], [1], filled=[True, False]),
        "both low and high": lambda: Series("s", [1], [1], low=[1]),
        "none of line, bars": lambda: Series("s", [1], [1], style="pie"),
        "cannot share": lambda: Panel("p", [Series("s", [1], [1]), Series("b", [1], ["x"], style="bars")]),
        "at least one panel": lambda: Plot("t", []),
    }
    for message, make in cases.items():
        with pytest.raises(ValueError, match=message):
            make()


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"pip install 'steelyard\[lab\]'"):
        lines().write(tmp_path / "x")
    assert os.listdir(tmp_path) == []


def test_importing_the_modules_does_not_import_matplotlib():
    code = "import sys, steelyard.support.plots.plot; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
