"""Summaries of a sample of numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence


def standard_deviation(values: Sequence[float]) -> float:
    """Return the sample standard deviation (n - 1), or 0.0 for fewer than two values."""
    n = len(values)
    if n < 2:
        return 0.0
    centre = math.fsum(values) / n
    return math.sqrt(math.fsum((v - centre) ** 2 for v in values) / (n - 1))
