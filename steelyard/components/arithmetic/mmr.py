"""Maximal Marginal Relevance (Carbonell & Goldstein 1998): a greedy selection that trades relevance for novelty."""

from __future__ import annotations

from collections.abc import Sequence

RELEVANCE_SHARE = 0.7


def select(relevance: Sequence[float], similarity: Sequence[Sequence[float]]) -> list[tuple[int, float]]:
    """Select (index, MMR value) pairs until no candidate is worth more than 0; the first position wins a tie."""
    remaining = list(range(len(relevance)))
    nearest = [0.0] * len(relevance)
    selected: list[tuple[int, float]] = []
    while remaining:
        best, value = -1, 0.0
        for i in remaining:
            candidate = RELEVANCE_SHARE * relevance[i] - (1 - RELEVANCE_SHARE) * nearest[i]
            if candidate > value:
                best, value = i, candidate
        if best < 0:
            break
        selected.append((best, value))
        remaining.remove(best)
        for i in remaining:
            nearest[i] = max(nearest[i], similarity[i][best])
    return selected
