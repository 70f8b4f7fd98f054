"""Small arithmetic used by several formulas."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence


def clamp(value: float, low: float = 0.0, high: float = 1.0) -> float:
    """Return min(high, max(low, value)), the paper's clamp."""
    return min(high, max(low, value))


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean; 0.0 without values."""
    return math.fsum(values) / len(values) if values else 0.0


def variation(values: Sequence[float]) -> float:
    """Return the coefficient of variation, with the population standard deviation; 0.0 when the mean is 0."""
    centre = mean(values)
    if centre == 0:
        return 0.0
    return math.sqrt(math.fsum((v - centre) ** 2 for v in values) / len(values)) / centre


def piecewise(x: float, knots: Sequence[tuple[float, float]]) -> float:
    """Interpolate linearly between knots sorted by x; constant outside them."""
    if x <= knots[0][0]:
        return knots[0][1]
    for (x0, y0), (x1, y1) in itertools.pairwise(knots):
        if x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return knots[-1][1]
