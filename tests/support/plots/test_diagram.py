"""Diagrams: the same bytes everywhere, every word shown, nothing outside its box, arrows that meet their boxes."""

import functools
import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from steelyard.support.plots.diagram import ASIDE, FACES, STRONG, WIDTH, Arrow, Box, Diagram, chain
from steelyard.support.plots.picture import SETTINGS

ROOT = Path(__file__).resolve().parents[2]


def loop() -> Diagram:
    rows = [
        [Box("a", "Begin", ["with a few words, so many of them that one line cannot hold them all"])],
        [Box("b", "Left", ["aside"], ASIDE), Box("c", "Right", [("first", "1", "x to y"), ("second", "22", "z")])],
        [Box("d", "End", kind=STRONG)],
    ]
    arrows = [Arrow("a", "c", "labelled"), Arrow("b", "c"), *chain(("c", "d")), Arrow("d", "c", "again", dashed=True)]
    return Diagram("A loop", rows, arrows, "A note below, as long as it has to be to need a second line of its own.")


def odd() -> Diagram:
    words = ["a price of $5 or $6", "W" * 90, "many words " * 8, "漢字\n\x1b[31m\u202e", "&<b>'\"", "_x_"]
    rows = [[Box(f"{i}{j}", w, words, STRONG) for j in range(2)] for i, w in enumerate(words)]
    cells = [("a long name that leaves its cells no room at all ", "12345", w[:20]) for w in words]
    rows.append([Box("cells", "", cells)])
    rows.append([Box("last", "", words[:1]), Box("least", "")])
    arrows = [
        Arrow("00", "10", "a label of many words " * 4),
        Arrow("11", "21", "W" * 60),
        Arrow("cells", "least", "words " * 20),
        Arrow("51", "01", "x" * 99),
    ]
    return Diagram(" ".join(words), rows, arrows, " ".join(words))


def single() -> Diagram:
    return Diagram("Alone", [[Box("a", "Alone")]])


ALL = pytest.mark.parametrize("make", [loop, odd, single])


def drawn(diagram: Diagram) -> Any:
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)
        figure = Figure()
        FigureCanvasAgg(figure)
        diagram.draw(figure)
        figure.draw_without_rendering()
    return figure


@functools.cache
def figure_of(make: Callable[[], Diagram]) -> Any:
    return drawn(make())


def frames(figure: Any) -> list[Any]:
    return [p.get_window_extent() for p in figure.axes[0].patches if isinstance(p, FancyBboxPatch)]


def texts(figure: Any) -> list[Any]:
    return [t for t in figure.axes[0].texts if t.get_text()]


def inside(inner: Any, outer: Any) -> bool:
    return bool(
        inner.x0 >= outer.x0 - 1 and inner.x1 <= outer.x1 + 1 and inner.y0 >= outer.y0 - 1 and inner.y1 <= outer.y1 + 1
    )


def test_both_files_are_written_and_another_process_gives_the_same_bytes(tmp_path: Path):
    code = "import sys; sys.path.insert(0, sys.argv[1]); import test_diagram; test_diagram.loop().write(sys.argv[2])"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "7", "MATPLOTLIBRC": str(tmp_path)}
    (tmp_path / "matplotlibrc").write_text("font.size: 20\nlines.linewidth: 9\naxes.facecolor: red\n")
    folder = str(Path(__file__).parent)
    subprocess.run([sys.executable, "-c", code, folder, str(tmp_path / "there")], env=environment, check=True)
    here = loop().write(tmp_path / "here")
    assert [p.suffix for p in here] == [".png", ".svg"]
    for path in here:
        there = tmp_path / f"there{path.suffix}"
        assert hashlib.sha256(path.read_bytes()).digest() == hashlib.sha256(there.read_bytes()).digest()


@ALL
def test_all_text_lies_in_the_picture_and_in_one_box_or_none(make: Callable[[], Diagram]):
    figure = figure_of(make)
    boxes = frames(figure)
    assert len(boxes) == sum(len(row) for row in make().rows)
    for text in texts(figure):
        extent = text.get_window_extent()
        assert inside(extent, figure.bbox), text.get_text()
        holders = [b for b in boxes if b.overlaps(extent)]
        assert len(holders) <= 1, text.get_text()
        assert all(inside(extent, b) for b in holders), text.get_text()


@ALL
def test_no_two_texts_and_no_two_boxes_overlap(make: Callable[[], Diagram]):
    figure = figure_of(make)
    for extents in (frames(figure), [t.get_window_extent() for t in texts(figure)]):
        for i, one in enumerate(extents):
            assert inside(one, figure.bbox)
            assert not any(one.shrunk(0.98, 0.9).overlaps(other) for other in extents[:i])


@ALL
def test_every_word_is_shown_and_none_is_cut(make: Callable[[], Diagram]):
    diagram = make()
    shown = "".join("".join(t.get_text().split()) for t in texts(figure_of(make)))
    for row in diagram.rows:
        for box in row:
            for line in (box.title, *box.lines):
                for piece in (line,) if isinstance(line, str) else line:
                    plain = "".join(c for c in piece if c.isascii() and c.isprintable() and not c.isspace())
                    assert plain in shown or "[31m" in plain
    assert "\ufffd\ufffd" in shown or make is not odd, "what the font has no letter for is marked"


def test_a_price_is_no_formula():
    assert sum("$5 or $6" in t.get_text() for t in texts(figure_of(odd))) > 2


def test_an_arrow_meets_the_edges_of_its_boxes():
    figure = figure_of(loop)
    axes = figure.axes[0]
    begin, left, right, end = (
        p.get_window_extent().transformed(axes.transData.inverted())
        for p in axes.patches
        if isinstance(p, FancyBboxPatch)
    )
    ends = [(t.xyann, t.xy) for t in axes.texts if getattr(t, "arrow_patch", None)]
    # The axis points down, so y0 is an upper edge once it is sorted.
    top, bottom = (lambda b: min(b.y0, b.y1)), (lambda b: max(b.y0, b.y1))
    (down, to_right, on, back) = ends
    assert down[0][1] == pytest.approx(bottom(begin), abs=0.03)
    assert down[1][1] == pytest.approx(top(right), abs=0.03)
    assert right.x0 < down[1][0] < right.x1
    assert to_right[0][0] == pytest.approx(left.x1, abs=0.03)
    assert to_right[1][0] == pytest.approx(right.x0, abs=0.03)
    assert on[1][1] == pytest.approx(top(end), abs=0.03)
    assert back[0][0] > max(right.x1, end.x1)
    assert back[1][0] == pytest.approx(right.x1, abs=0.03)
    assert back[0][0] < WIDTH


def test_an_arrow_to_another_column_ends_at_its_box_and_not_beside_it():
    rows = [[Box("a", "A"), Box("b", "B")], [Box("c", "C"), Box("d", "D")]]
    axes = drawn(Diagram("t", rows, [Arrow("a", "d")])).axes[0]
    (arrow,) = (t for t in axes.texts if getattr(t, "arrow_patch", None))
    begin, _, _, end = (p.get_window_extent().transformed(axes.transData.inverted()) for p in axes.patches)
    assert begin.x0 < arrow.xyann[0] < begin.x1
    assert end.x0 < arrow.xy[0] < end.x1


def test_a_long_label_stands_between_its_boxes():
    rows = [[Box("a", "A", ["x"] * 9)], [Box("b", "B"), Box("c", "C", ["x"] * 9)], [Box("d", "D", ["x"] * 9)]]
    figure = drawn(Diagram("t", rows, [Arrow("a", "c", "label " * 20), Arrow("c", "d", "label " * 20)]))
    labels = [t.get_window_extent() for t in texts(figure) if "label" in t.get_text()]
    assert len(labels) > 10
    assert not any(frame.overlaps(label) for frame in frames(figure) for label in labels)


def test_cells_stand_in_columns_at_the_right_edge():
    found = {t.get_text(): t for t in texts(figure_of(loop))}
    assert found["1"].get_window_extent().x1 == pytest.approx(found["22"].get_window_extent().x1, abs=1.5)
    assert found["x to y"].get_window_extent().x1 == pytest.approx(found["z"].get_window_extent().x1, abs=1.5)
    assert found["first"].get_window_extent().x1 < found["1"].get_window_extent().x0


def test_boxes_of_one_row_are_equally_high():
    _, left, right, _ = frames(figure_of(loop))
    assert (left.y0, left.y1) == pytest.approx((right.y0, right.y1))


def test_kinds_differ_without_colour():
    strokes = [(face["linewidth"], face.get("linestyle", "-")) for face in FACES.values()]
    assert len(set(strokes)) == len(FACES)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Box("a", "A", kind="round"), "none of plain, strong, aside"),
        (lambda: Diagram("t", []), "needs a row"),
        (lambda: Diagram("t", [[Box("a", "A")], []]), "a box in every row"),
        (lambda: Diagram("t", [[Box("a", "A"), Box("a", "B")]]), "two boxes of one key"),
        (lambda: Diagram("t", [[Box("a", "A")]], [Arrow("a", "b")]), "'b', which is no box"),
        (lambda: Diagram("t", [[Box("a", "A"), Box("b", "B")]], [Arrow("a", "b", "and")]), "'and' has no room"),
        (
            lambda: Diagram("t", [[Box("a", "A"), Box("b", "B")], [Box("c", "C")]], [Arrow("c", "a")]),
            "around 'a' would cross",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused_when_it_is_made(make: Any, message: str):
    with pytest.raises(ValueError, match=message):
        make()
