"""The history of a site as a small line chart: SVG without scripts, with the same numbers as words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 640, 220  # units of the drawing
LEFT, RIGHT, TOP, BOTTOM = 44, 12, 14, 30
STEPS = (0, 25, 50, 75, 100)


@dataclass(frozen=True, slots=True)
class Point:
    """One audit: where its mark is, and what it says."""

    x: float
    y: float
    label: str


@dataclass(frozen=True, slots=True)
class Chart:
    """The chart as the template draws it."""

    points: list[Point]
    line: str
    grid: list[tuple[int, float]]  # points of the scale and their height
    first: str
    last: str
    words: str


def draw_history(means: Sequence[tuple[str, float]]) -> Chart | None:
    """Return the chart of mean scores, each with its date, the oldest first; None for fewer than two."""
    if len(means) < 2:
        return None
    across = (WIDTH - LEFT - RIGHT) / (len(means) - 1)
    points = [
        Point(round(LEFT + number * across, 1), _height(mean), f"{day}: {mean:.1f}")
        for number, (day, mean) in enumerate(means)
    ]
    return Chart(
        points=points,
        line=" ".join(f"{point.x},{point.y}" for point in points),
        grid=[(step, _height(step)) for step in STEPS],
        first=means[0][0],
        last=means[-1][0],
        words="mean score by audit: " + ", ".join(point.label for point in points),
    )


def _height(score: float) -> float:
    share = min(100.0, max(0.0, score)) / 100
    return round(TOP + (1 - share) * (HEIGHT - TOP - BOTTOM), 1)
