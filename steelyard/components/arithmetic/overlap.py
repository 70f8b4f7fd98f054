"""Overlap of sets and multisets."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from collections.abc import Set as AbstractSet
from typing import TypeVar

Term = TypeVar("Term", bound=Hashable)


def jaccard(a: AbstractSet[Term], b: AbstractSet[Term]) -> float:
    """|A and B| / |A or B|; 0.0 for two empty sets."""
    union = len(a | b)
    return len(a & b) / union if union else 0.0


def multiset_jaccard(a: Mapping[Term, int], b: Mapping[Term, int]) -> float:
    """Sum of minima over sum of maxima of the counts; 0.0 for two empty multisets."""
    if len(b) < len(a):
        a, b = b, a
    common = sum(min(n, b[t]) for t, n in a.items() if t in b)
    total = sum(a.values()) + sum(b.values()) - common
    return common / total if total else 0.0


def overlap(a: AbstractSet[Term], b: AbstractSet[Term]) -> float:
    """|A and B| / min(|A|, |B|); 0.0 when either is empty."""
    smaller = min(len(a), len(b))
    return len(a & b) / smaller if smaller else 0.0


def shares(a: Collection[Term], b: AbstractSet[Term]) -> bool:
    """Whether any element of `a` is in `b`."""
    return any(x in b for x in a)
