"""What is usual on clean pages for each detector, and the one threshold of the filter, set on clean pages alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from steelyard.detectors.base import Detector
from steelyard.detectors.registry import DETECTORS
from steelyard.support.quantile import quantile

Statistics = Mapping[str, float]  # one page: detector → statistic

USUAL, HIGH = 0.75, 0.99  # shares of clean pages at or under the two marks of a detector's scale
NARROW = 0.9  # of the high mark: nothing can be divided by a scale of no width

SLACK = 1e-6  # above the page that sets the threshold, which rounding in a file would otherwise flag


@dataclass(frozen=True)
class Limits:
    """For each detector what is usual on clean pages, and the statistic above which it flags a page."""

    usual: Mapping[str, float]
    thresholds: Mapping[str, float]

    def flags(self, page: Statistics) -> bool:
        """Tell whether at least one detector flags the page."""
        return any(page[name] > limit for name, limit in self.thresholds.items())


def fit_limits(
    classes: Sequence[Sequence[Statistics]], rate: float, detectors: Sequence[Detector] = DETECTORS
) -> Limits:
    """Set one threshold for all detectors, in units of each one's clean scale, so that no class exceeds the rate.

    A detector's scale runs from the 75th to the 99th percentile of clean pages (or its lowest threshold), in steps of
    its own exponent. The threshold is how far along its scale the most conspicuous detector of a clean page may go; it
    is the only thing that is set, on untouched pages and on pages with neutral filler.
    """
    clean = [page for pages in classes for page in pages]
    if not clean:
        raise ValueError("thresholds need clean pages")
    high = {d.name: max(d.lowest_threshold, quantile([p[d.name] for p in clean], HIGH)) for d in detectors}
    usual = {d.name: min(quantile([p[d.name] for p in clean], USUAL), NARROW * high[d.name]) for d in detectors}

    exponent: dict[str, float] = {d.name: d.exponent for d in detectors}
    start = {n: math.pow(usual[n], exponent[n]) for n in high}
    width = {n: math.pow(high[n], exponent[n]) - start[n] for n in high}

    def reach(page: Statistics) -> float:
        return max((math.pow(page[n], exponent[n]) - start[n]) / width[n] for n in high)

    # At least one: a page inside every detector's scale is never flagged, whatever the rate.
    farthest = max(1.0, *(_find_tolerated([reach(p) for p in pages], rate) for pages in classes if pages))
    return Limits(usual, {n: math.pow(start[n] + farthest * width[n], 1 / exponent[n]) for n in high})


def _find_tolerated(reaches: Sequence[float], rate: float) -> float:
    """Return what at most `rate` of the pages exceed; interpolation between two pages would let one more through."""
    beyond = min(int(rate * len(reaches)), len(reaches) - 1)
    return sorted(reaches, reverse=True)[beyond] * (1 + SLACK)
