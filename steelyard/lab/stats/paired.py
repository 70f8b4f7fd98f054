"""Tests of paired differences against zero, two-sided, and the correction for asking often.

Both see a pair only by its difference. The sign test of the same differences is `intervals.sign_test`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.lab.stats.correlation import ranks

MOST_EXACT = 50  # differences up to which Wilcoxon's distribution is counted out, as in scipy
PRECISION = 1e-15
MOST_STEPS = 100_000  # of the continued fraction; Student's t needs fewer than a hundred at any size of sample


@dataclass(frozen=True, slots=True)
class PairedTest:
    """A statistic of n differences, and the chance of one at least as far from what zero effect gives."""

    statistic: float
    p: float
    n: int


def paired_t(differences: Sequence[float]) -> PairedTest | None:
    """Student's t of the mean difference; None of fewer than two differences or if all are equal."""
    _check(differences)
    n = len(differences)
    if n < 2 or min(differences) == max(differences):  # equal ones may differ from their rounded mean
        return None
    mean = math.fsum(differences) / n
    deviations = [d - mean for d in differences]
    largest = max(map(abs, deviations))  # over it no square underflows
    spread = math.sqrt(math.fsum((d / largest) ** 2 for d in deviations) / (n - 1))
    t = mean / largest / spread * math.sqrt(n)
    return PairedTest(t, student_p(t, n - 1), n)


def student_p(t: float, freedom: int) -> float:
    """The chance of a t as far from 0 on either side."""
    if freedom < 1:
        raise ValueError(f"{freedom} degrees of freedom")
    square = t * t
    if math.isinf(square):
        return 0.0
    if square < 1:  # what is left of 1, because freedom / (freedom + square) would round a small t away
        return 1.0 - beta_share(square / (freedom + square), 0.5, freedom / 2)
    return beta_share(freedom / (freedom + square), freedom / 2, 0.5)


def beta_share(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function: the share of the beta distribution of a and b that lies below x."""
    if not 0 <= x <= 1 or a <= 0 or b <= 0:
        raise ValueError(f"no beta distribution of {a} and {b} at {x}")
    if x in (0.0, 1.0):
        return x
    scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    # The fraction converges fast on the near side of the mean; the far side is what is left of 1.
    if x < (a + 1) / (a + b + 2):
        return min(1.0, math.exp(scale) / a / _fraction(x, a, b))
    return max(0.0, 1.0 - math.exp(scale) / b / _fraction(1 - x, b, a))


def _fraction(x: float, a: float, b: float) -> float:
    """1 + d1/(1 + d2/(1 + …)), the continued fraction of the incomplete beta function.

    Numerators and denominators of its convergents leave the floats, so only ratios are kept: `up` of a numerator to
    the one before it, `down` of a denominator to the one after it.
    """
    value, up, down = 1.0, 1.0, 0.0
    for step in range(1, MOST_STEPS):
        m = step // 2
        if step % 2:
            d = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            d = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        # A ratio of exactly 0 cannot be divided by; a number next to it does no harm.
        up = 1 + d / up or PRECISION
        down = 1 / (1 + d * down or PRECISION)
        value *= up * down
        if abs(up * down - 1) < PRECISION:
            break
    return value


def wilcoxon(differences: Sequence[float]) -> PairedTest | None:
    """Wilcoxon's signed ranks, the smaller of the two sums; None if fewer than two differences are not zero.

    Zeros are dropped, and n counts the rest; equal sizes share their mean rank. Exact for at most 50 differences of
    distinct sizes, otherwise the normal approximation with its correction for ties, without one for continuity.
    """
    _check(differences)
    kept = [d for d in differences if d]
    n = len(kept)
    if n < 2:
        return None
    sizes = [abs(d) for d in kept]
    up = math.fsum(rank for rank, d in zip(ranks(sizes), kept, strict=True) if d > 0)
    smaller = min(up, n * (n + 1) / 2 - up)
    ties = [count for count in Counter(sizes).values() if count > 1]
    if n <= MOST_EXACT and not ties:
        return PairedTest(smaller, min(1.0, 2 * _rank_sum_tail(int(smaller), n)), n)
    variance = n * (n + 1) * (2 * n + 1) / 24 - math.fsum(t**3 - t for t in ties) / 48
    z = (n * (n + 1) / 4 - smaller) / math.sqrt(variance)
    return PairedTest(smaller, math.erfc(z / math.sqrt(2)), n)


def _rank_sum_tail(most: int, n: int) -> float:
    """The share of the subsets of 1, …, n with a sum of at most so much."""
    subsets = [1] + [0] * most  # by their sum
    for rank in range(1, n + 1):
        for total in range(most, rank - 1, -1):
            subsets[total] += subsets[total - rank]
    return sum(subsets) / (1 << n)


def bonferroni(ps: Sequence[float]) -> list[float]:
    """Each p-value times their number, at most 1."""
    if any(not 0 <= p <= 1 for p in ps):
        raise ValueError("a p-value that is not between 0 and 1")
    return [min(1.0, p * len(ps)) for p in ps]


def _check(differences: Sequence[float]) -> None:
    if not all(map(math.isfinite, differences)):
        raise ValueError("a paired test needs finite differences")
