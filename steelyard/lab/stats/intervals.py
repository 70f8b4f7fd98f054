"""Spread and 95% intervals: by resampling with replacement, of a share, of a correlation."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
import scipy  # loads scipy.stats on first use, which takes most of a second

from steelyard.support.quantile import quantile

Interval = tuple[float, float]  # the bounds of a 95% interval
MIN_PAGES = 10  # resampling fewer pages gives intervals that are too narrow


def draw_resamples(n: int, count: int, rng: random.Random) -> list[list[int]]:
    """Draw n indices out of n with replacement, `count` times; the same generator state gives the same draws."""
    if n < 1:
        raise ValueError("there is nothing to resample")
    return [rng.choices(range(n), k=n) for _ in range(count)]


def percentile_interval(values: Sequence[float]) -> Interval:
    """Return the 2.5% and the 97.5% quantile."""
    if any(math.isnan(v) for v in values):
        raise ValueError("an interval needs numbers, and one value is NaN")
    return quantile(values, (1 - 0.95) / 2), quantile(values, 1 - (1 - 0.95) / 2)


def interval_of_resamples(values: Sequence[float | None]) -> Interval | None:
    """Return the interval of a statistic, given its value in each resample; None if it is undefined in all."""
    defined = [v for v in values if v is not None]
    return percentile_interval(defined) if defined else None


def interval_of_worst(resamples: Sequence[Sequence[float | None]], *, largest: bool) -> Interval | None:
    """Return the interval of the largest (or the smallest) of several figures, given all of them in each resample.

    The worst of several noisy figures is biased towards worse, and resampled again it is twice so. So it is not
    resampled itself: it is at least as bad as each figure's near end, taken at 2.5% divided by the number of figures,
    and no worse than the worst of their far ends. An end is infinite where that much of a figure is.
    """
    columns = [kept for column in zip(*resamples, strict=True) if (kept := [v for v in column if v is not None])]
    if not columns:
        return None
    near = (1 - 0.95) / 2 / len(columns)
    tails = (near, 1 - (1 - 0.95) / 2) if largest else ((1 - 0.95) / 2, 1 - near)
    worst = max if largest else min
    low, high = (worst(_quantile_or_infinite(column, tail) for column in columns) for tail in tails)
    return low, high


def _quantile_or_infinite(values: Sequence[float], share: float) -> float:
    """Return a quantile of values that may be infinite, which cannot be interpolated."""
    finite = sorted(v for v in values if v < math.inf)
    if len(finite) == len(values):
        return quantile(values, share)
    position = math.ceil(share * (len(values) - 1))
    return finite[position] if position < len(finite) else math.inf


def bootstrap_interval(
    n: int, statistic: Callable[[Sequence[int]], float | None], rng: random.Random, count: int = 1000
) -> tuple[float | None, float | None]:
    """Return the interval of `statistic(indices)` over resamples of n sources; no bounds if it is undefined in all."""
    values = [statistic(draw) for draw in draw_resamples(n, count, rng)]
    return interval_of_resamples(values) or (None, None)


def resample_means(columns: Sequence[Sequence[float]], draws: Sequence[Sequence[int]]) -> list[list[float]]:
    """Return the mean of every column in every draw: `resample_means(...)[column][draw]`.

    All columns share the draws, so that they can be compared resample by resample. This way of picking costs
    0.15 s for 20 columns, 1000 draws and 150 sources; operator.itemgetter and multiplicities were no faster.
    """
    return [[math.fsum(map(column.__getitem__, draw)) / len(draw) for draw in draws] for column in columns]


def estimate_mean(values: Sequence[float], rng: random.Random, count: int = 1000) -> dict[str, Any]:
    """Return the mean over pages, their number `n`, and the interval over resampled pages; None under MIN_PAGES."""
    (estimate,) = estimate_means([values], rng, count)
    return estimate


def estimate_means(columns: Sequence[Sequence[float]], rng: random.Random, count: int = 1000) -> list[dict[str, Any]]:
    """Return the estimate of every column's mean; all columns are of the same pages and share the resamples."""
    if not columns:
        return []
    n = len(columns[0])
    draws = draw_resamples(n, count, rng) if n >= MIN_PAGES else []
    intervals = [list(percentile_interval(means)) if draws else None for means in resample_means(columns, draws)]
    return [
        {"mean": math.fsum(values) / n, "n": n, "interval": interval}
        for values, interval in zip(columns, intervals, strict=True)
    ]


def auc_interval(
    pairs: Sequence[tuple[Sequence[float], Sequence[float]]], rng: random.Random, count: int = 1000
) -> Interval | None:
    """Return the interval of an AUC over pages, or of a second AUC less the first; None under MIN_PAGES.

    A pair holds the figures of pages as positives and as negatives; both of a page are resampled together. All sums
    are exact, so that they depend on no order.
    """
    n = len(pairs[0][0])
    if n < MIN_PAGES:
        return None
    first, *others = (np.sign(np.subtract.outer(positives, negatives)) / 2 + 0.5 for positives, negatives in pairs)
    above = others[0] - first if others else first
    picked = (np.bincount(draw, minlength=n) for draw in draw_resamples(n, count, rng))
    return percentile_interval([float(times @ above @ times) / n**2 for times in picked])


def wilson_interval(successes: int, n: int) -> Interval | None:
    """Return Wilson's score interval of the share successes / n, or None without trials."""
    if n == 0:
        return None
    interval = scipy.stats.binomtest(successes, n).proportion_ci(method="wilson")
    return float(interval.low), float(interval.high)


def fisher_interval(r: float, n: int) -> Interval | None:
    """Return the interval of a correlation of n pairs by Fisher's z, or None for three pairs or fewer.

    At r = 1 or -1 it has no width, which says more about the method than about the data.
    """
    if not -1.0 <= r <= 1.0:
        raise ValueError(f"a correlation of {r} is not in [-1, 1]")
    if n <= 3:
        return None
    if abs(r) == 1.0:
        return r, r
    half = NormalDist().inv_cdf(0.975) / math.sqrt(n - 3)
    return math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)


def standard_deviation(values: Sequence[float]) -> float:
    """Return the sample standard deviation (n - 1), or 0.0 for fewer than two values."""
    n = len(values)
    if n < 2:
        return 0.0
    centre = math.fsum(values) / n
    return math.sqrt(math.fsum((v - centre) ** 2 for v in values) / (n - 1))
