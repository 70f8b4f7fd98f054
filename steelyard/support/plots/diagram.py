"""Diagrams of boxes in rows and arrows between them: data in, a tall picture in large type out. Knows no study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from steelyard.support.plots.fonts import fit, leading
from steelyard.support.plots.frames import Frame, framed
from steelyard.support.plots.picture import Picture
from steelyard.support.plots.styles import GREY

WIDTH = 5.0  # inches: at half the size, on a telephone, the letters are still a dozen pixels high
EDGE, GAP, ARROW_GAP = 0.1, 0.14, 0.34
LANE = 0.4  # inches for an arrow that runs around the other boxes
TITLE, LABEL, NOTE = 14.0, 10.0, 10.0
PLAIN, STRONG, ASIDE = "plain", "strong", "aside"
FACES: dict[str, dict[str, Any]] = {
    PLAIN: {"facecolor": "white", "edgecolor": "black", "linewidth": 1.2},
    STRONG: {"facecolor": "#E6E6E6", "edgecolor": "black", "linewidth": 2.4},
    ASIDE: {"facecolor": "white", "edgecolor": GREY, "linewidth": 1.2, "linestyle": (0, (4, 2.5))},
}


@dataclass(frozen=True, slots=True)
class Box:
    """A title over lines of text; a tuple is a line of cells, the first at the left, the others right-aligned columns.

    `key` is what arrows call it. A kind says how much it weighs: plain, strong, or aside (dashed).
    """

    key: str
    title: str
    lines: Sequence[str | tuple[str, ...]] = ()
    kind: str = PLAIN

    def __post_init__(self) -> None:
        if self.kind not in FACES:
            raise ValueError(f"box {self.key!r}: kind {self.kind!r} is none of {', '.join(FACES)}")


@dataclass(frozen=True, slots=True)
class Arrow:
    """From one box to another: in the next row, next to it (without a label), or elsewhere around the right side."""

    start: str
    end: str
    label: str = ""
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Diagram(Picture):
    """Rows of boxes from the top, equally wide within a row, under a title and over a note."""

    title: str
    rows: Sequence[Sequence[Box]]
    arrows: Sequence[Arrow] = ()
    note: str = ""

    def __post_init__(self) -> None:
        if not self.rows or not all(self.rows):
            raise ValueError(f"diagram {self.title!r}: needs a row, and a box in every row")
        keys = [box.key for row in self.rows for box in row]
        if len(set(keys)) < len(keys):
            raise ValueError(f"diagram {self.title!r}: two boxes of one key")
        for arrow in self.arrows:
            ends = (arrow.start, arrow.end)
            if unknown := [key for key in ends if key not in keys]:
                raise ValueError(f"diagram {self.title!r}: an arrow leads to {unknown[0]!r}, which is no box")
            if arrow.label and self.place(arrow.start)[0] == self.place(arrow.end)[0]:
                raise ValueError(f"diagram {self.title!r}: {arrow.label!r} has no room between two neighbours")
            covered = [key for key in ends if self.rows[self.place(key)[0]][-1].key != key]
            if covered and self.around(arrow):
                raise ValueError(f"diagram {self.title!r}: an arrow around {covered[0]!r} would cross its neighbour")

    def place(self, key: str) -> tuple[int, int]:
        """Row and column of a box."""
        return next((i, j) for i, row in enumerate(self.rows) for j, box in enumerate(row) if box.key == key)

    def around(self, arrow: Arrow) -> bool:
        (i, j), (k, m) = self.place(arrow.start), self.place(arrow.end)
        return not (k == i + 1 or (k == i and abs(m - j) == 1))

    def draw(self, figure: Any) -> None:
        Page(self, figure).draw()


@dataclass(slots=True)
class Page:
    """A diagram on its figure; lengths are inches, counted from the top left."""

    diagram: Diagram
    figure: Any

    def draw(self) -> None:
        diagram, figure = self.diagram, self.figure
        lanes = [a for a in diagram.arrows if diagram.around(a)]
        right = WIDTH - EDGE - LANE * len(lanes)
        title = fit(figure, diagram.title, WIDTH - 2 * EDGE, TITLE, lines=9, bold=True).split("\n")
        note = fit(figure, diagram.note, WIDTH - 2 * EDGE, NOTE, lines=99).split("\n") if diagram.note else []
        top = EDGE + height(title, TITLE) + EDGE
        frames = self.frames(right, top)
        bottom = max(f.bottom for f in frames.values())
        total = bottom + EDGE + (height(note, NOTE) + EDGE if note else 0.0)
        figure.set_layout_engine("none")
        figure.set_size_inches(WIDTH, total)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, WIDTH), ylim=(total, 0))
        axes.set_axis_off()
        written(axes, title, EDGE, EDGE, TITLE, fontweight="bold")
        written(axes, note, EDGE, bottom + EDGE, NOTE, color="#333333")
        for row in diagram.rows:
            for box in row:
                frames[box.key].draw(axes, FACES[box.kind])
        for arrow in diagram.arrows:
            start, end = frames[arrow.start], frames[arrow.end]
            if arrow in lanes:
                self.run_around(axes, arrow, start, end, right + LANE * (lanes.index(arrow) + 0.5))
            else:
                self.point(axes, arrow, start, end)

    def frames(self, right: float, top: float) -> dict[str, Frame]:
        """Every box with its place and the lines that fit into it."""
        found: dict[str, Frame] = {}
        widths = [
            (right - EDGE - self.between(i) * (len(row) - 1)) / len(row) for i, row in enumerate(self.diagram.rows)
        ]
        for number, row in enumerate(self.diagram.rows):
            wide, between = widths[number], self.between(number)
            made = [
                framed(self.figure, box.title, box.lines, left=EDGE + (wide + between) * i, top=top, wide=wide)
                for i, box in enumerate(row)
            ]
            tall = max(f.bottom for f in made) - top
            found |= {box.key: frame.stretched(tall) for box, frame in zip(row, made, strict=True)}
            top += tall + self.gap_under(number, min(widths[number : number + 2]))
        return found

    def between(self, number: int) -> float:
        """Inches between the boxes of a row."""
        return ARROW_GAP if any(self.spans(a) == (number, number) for a in self.diagram.arrows) else GAP

    def gap_under(self, number: int, wide: float) -> float:
        """Inches under a row, where a label beside an arrow may be half as wide as a box."""
        below = [a for a in self.diagram.arrows if self.spans(a) == (number, number + 1)]
        if not below:
            return GAP
        return max(ARROW_GAP, *(height(self.label(a, wide), LABEL) + 0.2 for a in below))

    def spans(self, arrow: Arrow) -> tuple[int, int]:
        return self.diagram.place(arrow.start)[0], self.diagram.place(arrow.end)[0]

    def label(self, arrow: Arrow, wide: float) -> list[str]:
        return fit(self.figure, arrow.label, wide / 2 - 0.1, LABEL, lines=99).split("\n") if arrow.label else []

    def point(self, axes: Any, arrow: Arrow, start: Frame, end: Frame) -> None:
        """Straight to a neighbour, with the label beside it."""
        if self.spans(arrow)[0] == self.spans(arrow)[1]:
            forward = end.left > start.left
            middle = (start.top + start.bottom) / 2
            ends = (start.right, end.left) if forward else (start.left, end.right)
            _arrow(axes, (ends[0], middle), (ends[1], middle), dashed=arrow.dashed)
            return
        narrow = min((start, end), key=lambda f: f.right - f.left)
        x = narrow.middle
        above, below = (x if f.left <= x <= f.right else f.middle for f in (start, end))
        _arrow(axes, (above, start.bottom), (below, end.top), dashed=arrow.dashed)
        lines = self.label(arrow, narrow.right - narrow.left)
        gap = end.top - start.bottom - height(lines, LABEL)
        written(axes, lines, below + 0.1, start.bottom + gap / 2, LABEL)

    def run_around(self, axes: Any, arrow: Arrow, start: Frame, end: Frame, lane: float) -> None:
        """Out to the right, along the lane and back in; the label runs along it, and is cut where it is longer."""
        first, last = ((f.top + f.bottom) / 2 for f in (start, end))
        style = _stroke(dashed=arrow.dashed)
        axes.plot([start.right, lane, lane], [first, first, last], solid_capstyle="butt", **style)
        _arrow(axes, (lane, last), (end.right, last), dashed=False)
        long = abs(last - first)
        lines = fit(self.figure, arrow.label, long, LABEL, lines=1) if arrow.label else ""
        axes.text(lane + 0.06, (first + last) / 2, lines, fontsize=LABEL, rotation=270, ha="left", va="center")


def height(lines: Sequence[str], points: float) -> float:
    return len(lines) * leading(points)


def written(axes: Any, lines: Sequence[str], x: float, top: float, points: float, **style: Any) -> None:
    """Lines of text from the top down."""
    for place, line in enumerate(lines):
        axes.text(x, top + (place + 0.8) * leading(points), line, fontsize=points, va="baseline", **style)


def chain(keys: Sequence[str]) -> Iterator[Arrow]:
    """An arrow from each to the next."""
    return (Arrow(a, b) for a, b in pairwise(keys))


def _stroke(*, dashed: bool) -> dict[str, Any]:
    return {"color": "black", "linewidth": 1.5, "linestyle": (0, (4, 2.5)) if dashed else "-"}


def _arrow(axes: Any, start: tuple[float, float], end: tuple[float, float], *, dashed: bool) -> None:
    style = {"arrowstyle": "-|>", "mutation_scale": 15, "shrinkA": 0, "shrinkB": 0, **_stroke(dashed=dashed)}
    axes.annotate("", xy=end, xytext=start, arrowprops=style)
