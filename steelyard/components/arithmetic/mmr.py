"""Maximal Marginal Relevance (Carbonell & Goldstein 1998): a greedy selection that trades relevance for novelty."""

from __future__ import annotations

from collections.abc import Sequence


def select(
    relevance: Sequence[float], similarity: Sequence[Sequence[float]], *, trade: float = 0.7
) -> list[tuple[int, float]]:
    """(index, MMR value) in the order chosen; stops when no candidate is worth more than 0, ties by first position."""
    left = list(range(len(relevance)))
    nearest = [0.0] * len(relevance)
    chosen: list[tuple[int, float]] = []
    while left:
        best, value = -1, 0.0
        for i in left:
            candidate = trade * relevance[i] - (1 - trade) * nearest[i]
            if candidate > value:
                best, value = i, candidate
        if best < 0:
            break
        chosen.append((best, value))
        left.remove(best)
        for i in left:
            nearest[i] = max(nearest[i], similarity[i][best])
    return chosen
