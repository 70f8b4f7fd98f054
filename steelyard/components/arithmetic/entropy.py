"""Shannon entropy of a token distribution, in bits."""

from __future__ import annotations

import math
from collections.abc import Sequence

SMOOTHING = 1e-10


def entropy(counts: Sequence[int]) -> float:
    """Return H of the counts, smoothed by alpha = 1e-10; 0.0 without counts."""
    total = sum(counts) + SMOOTHING * len(counts)
    if total <= 0:
        return 0.0
    bits = 0.0
    for count in counts:
        p = (count + SMOOTHING) / total
        bits -= p * math.log2(p)
    return bits
