"""95% intervals of a share and of a correlation."""

from __future__ import annotations

import math
from statistics import NormalDist

import scipy  # loads scipy.stats on first use, which takes most of a second


def wilson_interval(successes: int, n: int) -> tuple[float, float] | None:
    """Return Wilson's score interval of the share successes / n, or None without trials."""
    if n == 0:
        return None
    found = scipy.stats.binomtest(successes, n).proportion_ci(method="wilson")
    return float(found.low), float(found.high)


def fisher_interval(r: float, n: int) -> tuple[float, float] | None:
    """Return the interval of a correlation of n pairs by Fisher's z, or None for three pairs or fewer.

    At r = 1 or -1 it has no width, which says more about the method than about the data.
    """
    if not -1.0 <= r <= 1.0:
        raise ValueError(f"a correlation of {r} is not in [-1, 1]")
    if n <= 3:
        return None
    if abs(r) == 1.0:
        return r, r
    half = NormalDist().inv_cdf(0.975) / math.sqrt(n - 3)
    return math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)
