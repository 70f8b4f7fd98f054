"""How two paired samples move together, and how well one number separates two groups.

In plain Python: the gates bootstrap a correlation of a few pairs a thousand times, where scipy's checks cost more than
the sum.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

MAX_PERMUTED = 8  # 8! is 40 320 orderings, about half a second; 9! would be five
# Two orderings with the same statistic may differ in the last digits of their sums.
TIE = 1e-12


def pearson(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Return the product-moment correlation, or None for fewer than two pairs or if x or y does not vary."""
    if len(x) != len(y):
        raise ValueError(f"cannot correlate {len(x)} values with {len(y)}")
    if len(x) < 2:
        return None
    dx, dy = _deviations(x), _deviations(y)
    if dx is None or dy is None:
        return None
    both = math.fsum(a * b for a, b in zip(dx, dy, strict=True))
    r = both / math.sqrt(math.fsum(a * a for a in dx) * math.fsum(b * b for b in dy))
    return max(-1.0, min(1.0, r))


def _deviations(values: Sequence[float]) -> list[float] | None:
    """Return differences from the mean, scaled so that no square underflows; None if all values are equal."""
    centre = math.fsum(values) / len(values)
    if not math.isfinite(centre):
        raise ValueError("a correlation needs finite values")
    if min(values) == max(values):  # their rounded mean may differ from them
        return None
    differences = [v - centre for v in values]
    largest = max(map(abs, differences))
    return [d / largest for d in differences]


def ranks(values: Sequence[float]) -> list[float]:
    """Return ranks from 1; equal values share the mean of their places."""
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
    """Return Pearson's correlation of the ranks, with ties averaged; None where `pearson` returns None."""
    return pearson(ranks(x), ranks(y))


def permutation_p(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Return the share of all n! orderings of y that correlate with x at least as well; None if undefined.

    Exact and one-sided, for at most eight pairs. The observed order counts, so the least value is 1/n!.
    """
    if len(x) > MAX_PERMUTED:
        raise ValueError(f"{len(x)}! orderings are too many to try; at most {MAX_PERMUTED} pairs")
    observed = pearson(x, y)
    if observed is None:
        return None
    least = observed - TIE
    values = (pearson(x, order) for order in itertools.permutations(y))
    return sum(v is not None and v >= least for v in values) / math.factorial(len(x))


def auc(positives: Sequence[float], negatives: Sequence[float]) -> float | None:
    """Return the chance that a positive is above a negative, ties half (Mann-Whitney); None for an empty group."""
    p, n = len(positives), len(negatives)
    if not p or not n:
        return None
    above = math.fsum(ranks([*positives, *negatives])[:p]) - p * (p + 1) / 2
    return above / (p * n)
