"""Shannon entropy of a token distribution and the distance between two of them, in bits."""

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


def jensen_shannon(p: Sequence[float], q: Sequence[float]) -> float:
    """Return the Jensen-Shannon distance, base 2, of two unnormalised distributions over one vocabulary."""
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
