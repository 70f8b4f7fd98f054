"""What the score, the detectors and the paper's two baselines measure of a text, and the limits of the detectors."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

from steelyard.detectors import DETECTORS
from steelyard.detectors.base import Detector
from steelyard.detectors.layered_filter import measure_page
from steelyard.pipeline import score_text
from steelyard.scoring import editions, weighting
from steelyard.scoring.editions import Edition
from steelyard.scoring.page import contributions
from steelyard.support.quantile import quantile

Points = dict[str, float]  # component → its points of the score
Reading = dict[str, float]  # of one text: weighting, baseline or detector → figure
PRIOR = "prior"  # weights the readings themselves, without the transform
PAPER = editions.load(editions.PAPER)


def score_components(text: str, language: str, as_of: date, *weightings: str, edition: Edition = PAPER) -> list[Points]:
    """Return the points of every component, once for each weighting."""
    page = score_text(text, as_of=as_of, title="", language=language, edition=edition, evidence=False)
    values = {name: reading.value for name, reading in page.readings.items()}
    return [_weigh(values, name) for name in weightings]


def _weigh(values: Mapping[str, float], name: str) -> Points:
    weights = weighting.load(name).weights
    return {c: weights[c] * values[c] for c in weights} if name == PRIOR else contributions(values, weights)


def sum_points(points: Mapping[str, float]) -> float:
    return min(100.0, math.fsum(points.values()))


def measure_detectors(text: str, language: str, edition: Edition = PAPER) -> dict[str, float]:
    """Return the statistic of every detector."""
    document = edition.open(text, language)
    return {name: measurement.statistic for name, measurement in measure_page(document).items()}


_TOKEN = re.compile(r"[^\W_]+")


def measure_repetition(text: str, *, words: int) -> float:
    """Return the share of the page's sequences of so many words that occurred before."""
    tokens = _TOKEN.findall(text.lower())
    sequences = list(zip(*(tokens[at:] for at in range(words)), strict=False))
    return 1 - len(set(sequences)) / len(sequences) if sequences else 0.0


BASELINES: Mapping[str, Callable[[str], float]] = {
    "repetition_rate": partial(measure_repetition, words=1),
    "repeated_shingles": partial(measure_repetition, words=5),
}


def measure_text(text: str, language: str, as_of: date, edition: Edition = PAPER) -> Reading:
    """Return the scores, the paper's baselines and the detector statistics of one text."""
    weightings = (edition.weights, PRIOR)
    points = score_components(text, language, as_of, *weightings, edition=edition)
    scores = dict(zip(weightings, map(sum_points, points), strict=True))
    baselines = {name: measure(text) for name, measure in BASELINES.items()}
    return scores | baselines | measure_detectors(text, language, edition)


USUAL = 0.75  # share of clean pages at or under what is usual
NARROW = 0.9  # of the limit: nothing can be divided by a scale of no width
SLACK = 1e-6  # above the page that sets the limit, which rounding in a file would otherwise flag


@dataclass(frozen=True)
class Limits:
    """For each detector what is usual on clean pages, and the statistic above which it flags a page."""

    usual: Mapping[str, float]
    thresholds: Mapping[str, float]

    def flags(self, page: Reading) -> bool:
        """Tell whether at least one detector flags the page."""
        return any(page[name] > limit for name, limit in self.thresholds.items())


def fit_limits(classes: Sequence[Sequence[Reading]], rate: float, detectors: Sequence[Detector] = DETECTORS) -> Limits:
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
