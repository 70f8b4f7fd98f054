"""What clean pages say of each detector, and the one threshold of the filter, set on clean pages alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from steelyard.detectors.base import Detector
from steelyard.detectors.registry import DETECTORS
from steelyard.lab.stats.summary import quantile

Statistics = Mapping[str, float]  # one page: detector → statistic

USUAL, HIGH = 0.75, 0.99  # shares of clean pages at or under the two marks of a detector's scale
NARROW = 0.9  # of the high mark: a scale of no width could not be divided by

SLACK = 1e-6  # above the page that sets the threshold, which rounding in a file would otherwise flag


@dataclass(frozen=True)
class Limits:
    """Per detector what is usual on clean pages, and the statistic from which it flags."""

    usual: Mapping[str, float]
    thresholds: Mapping[str, float]


def limits(classes: Sequence[Sequence[Statistics]], rate: float, detectors: Sequence[Detector] = DETECTORS) -> Limits:
    """One threshold for all detectors, in units of each one's own clean scale, so that no class exceeds the rate.

    A detector's scale runs from what three clean pages of four do not pass to what one in a hundred does (or its own
    least), in steps of its own power. The threshold is how far along its scale the most conspicuous detector of a clean
    page may go; it is the only thing that is set, on untouched pages and on pages with neutral filler.
    """
    clean = [page for pages in classes for page in pages]
    if not clean:
        raise ValueError("thresholds need clean pages")
    high = {d.name: max(d.least, quantile([p[d.name] for p in clean], HIGH)) for d in detectors}
    usual = {d.name: min(quantile([p[d.name] for p in clean], USUAL), NARROW * high[d.name]) for d in detectors}

    power: dict[str, float] = {d.name: d.power for d in detectors}
    start = {n: math.pow(usual[n], power[n]) for n in high}
    width = {n: math.pow(high[n], power[n]) - start[n] for n in high}

    def reach(page: Statistics) -> float:
        return max((math.pow(page[n], power[n]) - start[n]) / width[n] for n in high)

    # At least one: a page inside every detector's scale is never flagged, whatever the rate.
    farthest = max(1.0, *(_tolerated([reach(p) for p in pages], rate) for pages in classes if pages))
    return Limits(usual, {n: math.pow(start[n] + farthest * width[n], 1 / power[n]) for n in high})


def _tolerated(reaches: Sequence[float], rate: float) -> float:
    """What at most `rate` of the pages pass; interpolation between two of them would let one more through."""
    beyond = min(int(rate * len(reaches)), len(reaches) - 1)
    return sorted(reaches, reverse=True)[beyond] * (1 + SLACK)


def flagged(pages: Sequence[Statistics], thresholds: Mapping[str, float]) -> int:
    """How many pages at least one detector flags."""
    return sum(any(page[name] > limit for name, limit in thresholds.items()) for page in pages)
