"""g, the concave transform: the closer a component is to its ceiling, the less another point of it pays."""

from __future__ import annotations

import math

MISSING = 50.0  # stands for a value that an external record does not have


def transform(value: float) -> float:
    """Return g(u) = 100 sqrt(u / 100)."""
    return 100.0 * math.sqrt(value / 100.0)
