"""Two-sided tests of paired differences against zero, and the correction for several questions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import scipy  # loads scipy.stats on first use, which takes most of a second

from steelyard.lab.stats.intervals import standard_deviation

MAX_EXACT = 50  # differences up to which Wilcoxon's p is counted out, as in scipy


@dataclass(frozen=True, slots=True)
class PairedTest:
    """A statistic of n differences, and the chance of one at least as extreme without an effect."""

    statistic: float
    p: float
    n: int


def paired_t(differences: Sequence[float]) -> PairedTest | None:
    """Return Student's t of the mean difference, or None for fewer than two differences or if all are equal."""
    _check_finite(differences)
    n = len(differences)
    if n < 2 or min(differences) == max(differences):  # equal values may differ from their rounded mean
        return None
    mean = math.fsum(differences) / n
    deviations = [d - mean for d in differences]
    largest = max(map(abs, deviations))  # divided by it, no square underflows
    spread = math.sqrt(math.fsum((d / largest) ** 2 for d in deviations) / (n - 1))
    t = mean / largest / spread * math.sqrt(n)
    return PairedTest(t, student_p(t, n - 1), n)


def t_interval(differences: Sequence[float], alpha: float = 0.05) -> list[float] | None:
    """Return Student's interval of the mean difference, or None where `paired_t` has no t.

    It leaves out 0 exactly where the p-value of `paired_t` is below `alpha`.
    """
    if paired_t(differences) is None:
        return None
    n = len(differences)
    mean = math.fsum(differences) / n
    half = student_quantile(1 - alpha / 2, n - 1) * standard_deviation(differences) / math.sqrt(n)
    return [mean - half, mean + half]


def student_p(t: float, freedom: float) -> float:
    """Return the two-sided p-value of Student's t."""
    return float(2 * scipy.special.stdtr(freedom, -abs(t)))


def student_quantile(share: float, freedom: float) -> float:
    """Return the quantile of Student's t."""
    return float(scipy.special.stdtrit(freedom, share))


def wilcoxon(differences: Sequence[float]) -> PairedTest | None:
    """Return Wilcoxon's signed-rank test, or None if fewer than two differences are not zero.

    The statistic is the smaller rank sum. Zeros are dropped, and n counts the rest; equal sizes share their mean
    rank. Exact for at most 50 differences of distinct sizes, otherwise the normal approximation with its correction
    for ties, without one for continuity.
    """
    _check_finite(differences)
    nonzero = [d for d in differences if d]
    n = len(nonzero)
    if n < 2:
        return None
    exact = n <= MAX_EXACT and len({abs(d) for d in nonzero}) == n
    test = scipy.stats.wilcoxon(nonzero, correction=False, method="exact" if exact else "approx")
    return PairedTest(float(test.statistic), float(test.pvalue), n)


def sign_test(ups: int, downs: int) -> float:
    """Return the p-value of so many ups and downs if both are equally likely; 1.0 if there are none."""
    return float(scipy.stats.binomtest(ups, ups + downs).pvalue) if ups + downs else 1.0


def bonferroni(ps: Sequence[float]) -> list[float]:
    """Multiply each p-value by their number, at most to 1."""
    if any(not 0 <= p <= 1 for p in ps):
        raise ValueError("a p-value is not between 0 and 1")
    return [min(1.0, p * len(ps)) for p in ps]


def _check_finite(differences: Sequence[float]) -> None:
    if not all(map(math.isfinite, differences)):
        raise ValueError("a paired test needs finite differences")
