"""What is usual on clean pages for each detector, and the limit above which it flags, set on clean pages alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from steelyard.detectors import DETECTORS
from steelyard.detectors.base import Detector
from steelyard.support.quantile import quantile

Statistics = Mapping[str, float]  # one page: detector → statistic

USUAL = 0.75  # share of clean pages at or under what is usual
NARROW = 0.9  # of the limit: nothing can be divided by a scale of no width
SLACK = 1e-6  # above the page that sets the limit, which rounding in a file would otherwise flag


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
    """Set each detector's limit so that it flags at most `rate` of the pages of any class.

    A class is the untouched pages of one origin, or their neutral variants. The worst class decides, because the next
    origin may be as bad; a limit is never lower than the detector's own lowest threshold.
    """
    clean = [page for pages in classes for page in pages]
    if not clean:
        raise ValueError("thresholds need clean pages")
    limits = {
        d.name: max(
            d.lowest_threshold,
            *(_find_tolerated([page[d.name] for page in pages], rate) for pages in classes if pages),
        )
        for d in detectors
    }
    usual = {n: min(quantile([page[n] for page in clean], USUAL), NARROW * limit) for n, limit in limits.items()}
    return Limits(usual, limits)


def _find_tolerated(statistics: Sequence[float], rate: float) -> float:
    """Return what at most `rate` of the pages exceed; interpolation between two pages would let one more through."""
    beyond = min(int(rate * len(statistics)), len(statistics) - 1)
    return sorted(statistics, reverse=True)[beyond] * (1 + SLACK)
