"""Overlap of sets and multisets."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet


def jaccard(a: AbstractSet[object], b: AbstractSet[object]) -> float:
    """Return |A and B| / |A or B|; 0.0 for two empty sets."""
    union = len(a | b)
    return len(a & b) / union if union else 0.0


def multiset_jaccard(a: Mapping[str, int], b: Mapping[str, int]) -> float:
    """Return the sum of minima over the sum of maxima of the counts; 0.0 for two empty multisets."""
    if len(b) < len(a):
        a, b = b, a
    common = sum(min(n, b[t]) for t, n in a.items() if t in b)
    total = sum(a.values()) + sum(b.values()) - common
    return common / total if total else 0.0


def overlap(a: AbstractSet[object], b: AbstractSet[object]) -> float:
    """Return |A and B| / min(|A|, |B|); 0.0 when either is empty."""
    smaller = min(len(a), len(b))
    return len(a & b) / smaller if smaller else 0.0
