"""The Jensen-Shannon distance, base 2: the square root of the divergence."""

from __future__ import annotations

import math
from collections.abc import Sequence


def distance(p: Sequence[float], q: Sequence[float]) -> float:
    """Return d(P, Q) of two unnormalised distributions over one vocabulary; 0 = equal, 1 = disjoint."""
    p_total, q_total = math.fsum(p), math.fsum(q)
    divergence = 0.0
    for p_raw, q_raw in zip(p, q, strict=True):
        a, b = p_raw / p_total, q_raw / q_total
        middle = (a + b) / 2
        if a > 0:
            divergence += 0.5 * a * math.log2(a / middle)
        if b > 0:
            divergence += 0.5 * b * math.log2(b / middle)
    return math.sqrt(max(0.0, divergence))
