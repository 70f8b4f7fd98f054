"""Quantiles of a sample, without numpy."""

from __future__ import annotations

import math
from collections.abc import Sequence


def quantile(values: Sequence[float], q: float) -> float:
    """Return the q-quantile, interpolating linearly between order statistics (numpy's default).

    Raises:
        ValueError: No values, or q outside [0, 1].
    """
    ordered = sorted(values)
    if not ordered:
        raise ValueError("no values to take a quantile of")
    if not 0 <= q <= 1:
        raise ValueError(f"quantile {q} is not in [0, 1]")
    place = q * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
