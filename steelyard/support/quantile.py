"""Quantiles of a sample and of Student's t, where numpy and scipy are not installed."""

from __future__ import annotations

import math
from collections.abc import Sequence

# The 97.5% points of Student's t for 1 to 30 degrees of freedom, to four decimals (any statistical table).
_T_975 = (
    12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281, 2.2010, 2.1788, 2.1604, 2.1448,
    2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484,
    2.0452, 2.0423,
)  # fmt: skip


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


def t_quantile_975(freedom: int) -> float:
    """Return the 97.5% point of Student's t, for 95% intervals, correct to 0.0002.

    Raises:
        ValueError: Fewer than one degree of freedom.
    """
    if freedom < 1:
        raise ValueError(f"{freedom} degrees of freedom; at least 1 is needed")
    if freedom <= len(_T_975):
        return _T_975[freedom - 1]
    z = 1.959964  # the normal quantile; the terms below are the expansion in 1 / freedom
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
