"""Text in a frame: its lines measured and set, so that nothing is cut and nothing stands outside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from steelyard.support.plots.fonts import fit, leading, plain, width

HEADING, BODY = 12.0, 11.0  # points
PADDING = 0.1  # inches inside the frame
COLUMN_GAP = 0.14
ENOUGH = 99  # lines: nothing is ever cut


class Line(NamedTuple):
    """A piece of text at its place: x is its left end, or its right end where it is right-aligned."""

    text: str
    x: float
    baseline: float
    points: float
    bold: bool = False
    right: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """Its edges in inches from the top left, and the text in it."""

    left: float
    top: float
    right: float
    bottom: float
    lines: tuple[Line, ...]

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    def stretched(self, tall: float) -> Frame:
        """The same, so many inches tall."""
        return replace(self, bottom=self.top + tall)

    def draw(self, axes: Any, face: dict[str, Any]) -> None:
        from matplotlib.patches import FancyBboxPatch

        corner, size = (self.left, self.top), (self.right - self.left, self.bottom - self.top)
        axes.add_patch(FancyBboxPatch(corner, *size, boxstyle="round,pad=0,rounding_size=0.06", **face))
        for line in self.lines:
            axes.text(
                line.x, line.baseline, line.text, fontsize=line.points, fontweight="bold" if line.bold else "normal",
                va="baseline", ha="right" if line.right else "left",
            )  # fmt: skip


def framed(
    figure: Any, title: str, lines: Sequence[str | tuple[str, ...]], *, left: float, top: float, wide: float
) -> Frame:
    """The frame at this place, as wide as said and as tall as its text needs."""
    inner = wide - 2 * PADDING
    x, down = left + PADDING, top + PADDING
    placed: list[Line] = []

    def put(text: str, points: float, *, bold: bool = False, room: float = inner) -> None:
        nonlocal down
        for part in fit(figure, text, room, points, lines=ENOUGH, bold=bold).split("\n"):
            placed.append(Line(part, x, down + 0.8 * leading(points), points, bold))
            down += leading(points)

    if title:
        put(title, HEADING, bold=True)
    columns = _columns(figure, [line for line in lines if isinstance(line, tuple)])
    for line in lines:
        if isinstance(line, str):
            put(line, BODY)
            continue
        baseline, end = down + 0.8 * leading(BODY), left + wide - PADDING
        for cell, room in reversed(list(zip(line[1:], columns, strict=False))):
            placed.append(Line(plain(cell), end, baseline, BODY, right=True))
            end -= room + COLUMN_GAP
        put(line[0], BODY, room=end - x)
    return Frame(left, top, left + wide, down + PADDING, tuple(placed))


def _columns(figure: Any, rows: Sequence[tuple[str, ...]]) -> list[float]:
    """Inches of every column but the first."""
    most = max((len(row) for row in rows), default=0)
    return [max(width(figure, plain(row[i]), BODY) for row in rows if len(row) > i) for i in range(1, most)]
