"""Resampling with replacement: which numbers depend on which sources happened to be there."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from steelyard.lab.stats.summary import quantile


@dataclass(frozen=True, slots=True)
class Interval:
    """A percentile interval; the bounds are None if no resample gave a value.

    `undefined_share` is the share of the resamples that gave none: an interval over half of them is no interval of
    the statistic, and only the caller can say how much is too much.
    """

    low: float | None
    high: float | None
    undefined_share: float


def resamples(n: int, count: int, rng: random.Random) -> list[list[int]]:
    """`count` draws of n indices out of n, with replacement; the same generator state gives the same draws."""
    if n < 1:
        raise ValueError("a resample of nothing")
    everything = range(n)
    return [rng.choices(everything, k=n) for _ in range(count)]


def interval(values: Sequence[float], level: float = 0.95) -> tuple[float, float]:
    """The percentile interval: what is left between equal tails."""
    if not 0 < level < 1:
        raise ValueError(f"a level of {level}, which is not between 0 and 1")
    ordered = sorted(values)
    if any(math.isnan(v) for v in ordered):
        raise ValueError("an interval over NaN")
    tail = (1 - level) / 2
    return quantile(ordered, tail), quantile(ordered, 1 - tail)


def bootstrap(
    n: int,
    statistic: Callable[[Sequence[int]], float | None],
    rng: random.Random,
    count: int = 1000,
    level: float = 0.95,
) -> Interval:
    """The interval of `statistic(indices)` over resamples of n sources; None from it means undefined there."""
    if count < 1:
        raise ValueError(f"{count} resamples")
    values = [v for draw in resamples(n, count, rng) if (v := statistic(draw)) is not None]
    share = 1 - len(values) / count
    return Interval(*interval(values, level), share) if values else Interval(None, None, share)


def means(columns: Sequence[Sequence[float]], draws: Sequence[Sequence[int]]) -> list[list[float]]:
    """For every column its mean in every draw: `means(...)[column][draw]`.

    The same draws for all columns, so that columns can be compared resample by resample. This way of picking costs
    0.15 s for 20 columns, 1000 draws and 150 sources; operator.itemgetter and multiplicities were no faster.
    """
    return [[math.fsum(map(column.__getitem__, draw)) / len(draw) for draw in draws] for column in columns]
