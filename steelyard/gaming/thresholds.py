"""Thresholds of the layered filter, set on clean pages alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from steelyard.detect.base import Detector
from steelyard.detect.detectors import DETECTORS

Statistics = Mapping[str, float]  # one page: detector → statistic


def thresholds(clean: Sequence[Statistics], rate: float, detectors: Sequence[Detector] = DETECTORS) -> dict[str, float]:
    """One threshold per detector, all with the same tail, so that at most `rate` of the clean pages are flagged by any.

    The tail is the largest that keeps the union within the rate. No threshold falls below a detector's own least.
    """
    if not clean:
        raise ValueError("thresholds need clean pages")
    ordered = {d.name: sorted((page[d.name] for page in clean), reverse=True) for d in detectors}
    best = _at(ordered, detectors, 0)
    for beyond in range(1, len(clean)):
        candidate = _at(ordered, detectors, beyond)
        if flagged(clean, candidate) > rate * len(clean):
            return best
        best = candidate
    return best


def _at(ordered: Mapping[str, Sequence[float]], detectors: Sequence[Detector], beyond: int) -> dict[str, float]:
    """Thresholds that leave at most `beyond` clean pages at or over each; just above the next one's figure."""
    return {d.name: max(d.least, math.nextafter(ordered[d.name][beyond], math.inf)) for d in detectors}


def flagged(pages: Sequence[Statistics], limits: Mapping[str, float]) -> int:
    """How many pages at least one detector flags."""
    return sum(any(page[name] >= limit for name, limit in limits.items()) for page in pages)
