"""g, the concave transform: the closer a component is to its ceiling, the less another point of it pays."""

from __future__ import annotations

import math

MISSING = 50.0  # a value missing from an outside record, before the transform


def g(value: float) -> float:
    """100 sqrt(u / 100)."""
    return 100.0 * math.sqrt(value / 100.0)
