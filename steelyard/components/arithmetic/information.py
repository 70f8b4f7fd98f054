"""Information in a text: Shannon entropy, the distance between two distributions (both in bits), compressibility."""

from __future__ import annotations

import gzip
import math
from collections.abc import Sequence

from steelyard.components.arithmetic.numbers import clamp

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


def gzip_ratio(text: str) -> float:
    """Return |gzip(x)| / |x| in UTF-8 bytes, level 9, no timestamp; 1.0 for an empty text."""
    data = text.encode("utf-8", "replace")
    return len(gzip.compress(data, compresslevel=9, mtime=0)) / len(data) if data else 1.0


def diversity(text: str) -> float:
    """Return the paper's gamma: clamp((ratio - 0.1) / 0.9; 0, 1)."""
    return clamp((gzip_ratio(text) - 0.1) / 0.9)
