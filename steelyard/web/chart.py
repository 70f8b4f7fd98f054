"""The history of a site as a small line chart: SVG without scripts, with the same numbers as words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 640, 220  # units of the drawing
LEFT, RIGHT, TOP, BOTTOM = 44, 12, 28, 30
LEAST = 10.0  # points that the axis shows at least
STEPS = (1, 2, 5, 10, 20, 25)  # points between two lines of the grid, the smallest that gives at most five


@dataclass(frozen=True, slots=True)
class Median:
    """The median score of one audit; `is_new`: it cannot be compared with the one before."""

    day: str
    score: float
    edition: str
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class Point:
    """One audit: where its mark is, and what it says."""

    x: float
    y: float
    label: str


@dataclass(frozen=True, slots=True)
class Chart:
    """The chart as the template draws it: a line for each run of audits that can be compared."""

    points: list[Point]
    lines: list[str]
    changes: list[Point]  # where the way of scoring changed
    grid: list[tuple[int, float]]  # points of the scale and their height
    first: str
    last: str
    words: str


def draw_history(medians: Sequence[Median]) -> Chart | None:
    """Return the chart of median scores, the oldest first; None for fewer than two."""
    if len(medians) < 2:
        return None
    across = (WIDTH - LEFT - RIGHT) / (len(medians) - 1)
    scale = _choose_scale([median.score for median in medians])
    points = [
        Point(round(LEFT + number * across, 1), _height(median.score, scale), f"{median.day}: {median.score:.1f}")
        for number, median in enumerate(medians)
    ]
    starts = [number for number, median in enumerate(medians) if median.is_new and number]
    runs = [points[a:b] for a, b in zip([0, *starts], [*starts, len(points)], strict=True)]
    changes = [Point(points[at].x, TOP, f"edition {medians[at].edition}") for at in starts]
    told = "".join(f"; scored in another way from {medians[at].day} ({medians[at].edition})" for at in starts)
    return Chart(
        points=points,
        lines=[" ".join(f"{point.x},{point.y}" for point in run) for run in runs],
        changes=changes,
        grid=[(step, _height(step, scale)) for step in scale],
        first=medians[0].day,
        last=medians[-1].day,
        words="median score by audit: " + ", ".join(point.label for point in points) + told,
    )


def _choose_scale(scores: Sequence[float]) -> range:
    """Return the lines of the grid: from below the lowest score to above the highest, and no wider than needed."""
    low, high = (min(100.0, max(0.0, score)) for score in (min(scores), max(scores)))
    missing = max(0.0, LEAST - (high - low)) / 2
    low, high = max(0.0, low - missing), min(100.0, high + missing)
    step = next((step for step in STEPS if (high - low) / step <= 4), STEPS[-1])
    return range(math.floor(low / step) * step, math.ceil(high / step) * step + 1, step)


def _height(score: float, scale: range) -> float:
    share = (min(scale[-1], max(scale[0], score)) - scale[0]) / (scale[-1] - scale[0])
    return round(TOP + (1 - share) * (HEIGHT - TOP - BOTTOM), 1)
