"""How well predicted scores order the sources of one query by their visibility.

Every measure is None where there is nothing to order: fewer than two sources, or all of them equally visible.
Where predictions are equal, a measure is its mean over all orders of the tied sources, by a formula and not by a
draw. A prediction that says nothing gets what chance would.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from steelyard.lab.stats.correlation import spearman


def within_spearman(predicted: Sequence[float], visible: Sequence[float]) -> float | None:
    """Return Spearman's correlation, ties averaged; 0 if all predictions are equal, the mean over their orders."""
    if not _has_order(predicted, visible):
        return None
    return spearman(predicted, visible) or 0.0


def hit_at_1(predicted: Sequence[float], visible: Sequence[float]) -> float | None:
    """Return 1 if the first source is a most visible one, else 0; with ties at the top, the chance of it."""
    if not _has_order(predicted, visible):
        return None
    top = next(_tiers(predicted, visible))
    return sum(v == max(visible) for v in top) / len(top)


def mrr(predicted: Sequence[float], visible: Sequence[float]) -> float | None:
    """Return 1 / place of the (first) most visible source; its mean over queries is MRR."""
    if not _has_order(predicted, visible):
        return None
    tiers, best = list(_tiers(predicted, visible)), max(visible)
    i = next(i for i, tier in enumerate(tiers) if best in tier)
    return _expected_reciprocal(sum(map(len, tiers[:i])), len(tiers[i]), tiers[i].count(best))


def ndcg(predicted: Sequence[float], visible: Sequence[float]) -> float | None:
    """Return the discounted gain of all sources over the best possible one; gain = visibility, discount = log2."""
    if not _has_order(predicted, visible):
        return None
    if min(visible) < 0:
        raise ValueError(f"a visibility of {min(visible)}; it must be 0 or more")
    place, gains = itertools.count(1), []
    for tier in _tiers(predicted, visible):
        each = math.fsum(tier) / len(tier)
        gains += [each / math.log2(next(place) + 1) for _ in tier]
    best = [v / math.log2(i + 1) for i, v in enumerate(sorted(visible, reverse=True), start=1)]
    return min(1.0, math.fsum(gains) / math.fsum(best))


def _has_order(predicted: Sequence[float], visible: Sequence[float]) -> bool:
    """Return whether there is an order to predict; refuse values that cannot be compared."""
    if len(predicted) != len(visible):
        raise ValueError(f"{len(predicted)} predictions for {len(visible)} sources")
    if any(math.isnan(p) for p in predicted) or not all(map(math.isfinite, visible)):
        raise ValueError("a prediction is NaN or a visibility is not finite")
    return len(set(visible)) > 1


def _tiers(predicted: Sequence[float], visible: Sequence[float]) -> Iterator[list[float]]:
    """Yield the visibilities of each group of equal predictions, the highest prediction first."""
    pairs = sorted(zip(predicted, visible, strict=True), key=lambda pair: -pair[0])
    for _, tier in itertools.groupby(pairs, key=lambda pair: pair[0]):
        yield [v for _, v in tier]


def _expected_reciprocal(above: int, size: int, best: int) -> float:
    """Return the mean of 1 / place of the first best source over all orders of a tier below `above` sources."""
    orders = math.comb(size, best)
    # With the first of them at place k, the others are anywhere among the size - k places after it.
    chances = ((k, math.comb(size - k, best - 1) / orders) for k in range(1, size - best + 2))
    return math.fsum(chance / (above + k) for k, chance in chances)
