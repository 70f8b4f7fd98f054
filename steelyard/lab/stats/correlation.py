"""How two paired samples move together, and how well one number separates two groups."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

from steelyard.lab.stats.intervals import normal_quantile

Statistic = Callable[[Sequence[float], Sequence[float]], float | None]

MOST_PERMUTED = 8  # 8! is 40 320 orderings, about half a second; 9! would be five
# Two orderings with the same statistic may differ in the last digits of their sums.
TIE = 1e-12


def pearson(x: Sequence[float], y: Sequence[float]) -> float | None:
    """The product-moment correlation in [-1, 1]; None of fewer than two pairs or where x or y does not vary."""
    if len(x) != len(y):
        raise ValueError(f"a correlation of {len(x)} values with {len(y)}")
    if len(x) < 2:
        return None
    dx, dy = _deviations(x), _deviations(y)
    if dx is None or dy is None:
        return None
    both = math.fsum(a * b for a, b in zip(dx, dy, strict=True))
    r = both / math.sqrt(math.fsum(a * a for a in dx) * math.fsum(b * b for b in dy))
    return max(-1.0, min(1.0, r))


def _deviations(values: Sequence[float]) -> list[float] | None:
    """Differences from the mean over the largest of them, so that no square underflows; None if all are equal."""
    centre = math.fsum(values) / len(values)
    if not math.isfinite(centre):
        raise ValueError("a correlation needs finite values")
    if min(values) == max(values):  # their rounded mean may differ from them
        return None
    differences = [v - centre for v in values]
    largest = max(map(abs, differences))
    return [d / largest for d in differences]


def ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1; equal values share the mean of the places they take."""
    if any(math.isnan(v) for v in values):
        raise ValueError("NaN has no rank")
    order = sorted(range(len(values)), key=values.__getitem__)
    result = [0.0] * len(values)
    first = 0
    for _, run in itertools.groupby(order, key=values.__getitem__):
        places = list(run)
        for place in places:
            result[place] = first + (len(places) + 1) / 2
        first += len(places)
    return result


def spearman(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Pearson's correlation of the ranks, ties averaged; None where pearson has none."""
    return pearson(ranks(x), ranks(y))


def fisher_interval(r: float, n: int, level: float = 0.95) -> tuple[float, float] | None:
    """The interval of a correlation of n pairs by Fisher's z; None of three pairs or fewer.

    At r = 1 or -1 it has no width, which says more about the method than about the data.
    """
    if not -1.0 <= r <= 1.0:
        raise ValueError(f"a correlation of {r}")
    if n <= 3:
        return None
    if abs(r) == 1.0:
        return r, r
    half = normal_quantile(level) / math.sqrt(n - 3)
    return math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)


def permutation_p(x: Sequence[float], y: Sequence[float], statistic: Statistic = pearson) -> float | None:
    """The share of all n! orderings of y whose statistic is at least the observed one; None if that is undefined.

    Exact and one-sided; the observed order is one of them, so the least value is 1/n!. At most eight pairs.
    """
    if len(x) > MOST_PERMUTED:
        raise ValueError(f"{len(x)}! orderings are too many to try; at most {MOST_PERMUTED} pairs")
    observed = statistic(x, y)
    if observed is None:
        return None
    least = observed - TIE * max(1.0, abs(observed))
    values = (statistic(x, order) for order in itertools.permutations(y))
    return sum(v is not None and v >= least for v in values) / math.factorial(len(x))


def auc(positives: Sequence[float], negatives: Sequence[float]) -> float | None:
    """The chance that a positive lies above a negative, ties half (Mann-Whitney); None if either group is empty."""
    p, n = len(positives), len(negatives)
    if not p or not n:
        return None
    above = math.fsum(ranks([*positives, *negatives])[:p]) - p * (p + 1) / 2
    return above / (p * n)
