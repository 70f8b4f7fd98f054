"""What the score, the detectors and the paper's two web-spam baselines measure of one text."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import date

from steelyard.detectors.layered_filter import measure_page
from steelyard.pipeline import score_text
from steelyard.scoring import editions, weighting
from steelyard.scoring.editions import Edition
from steelyard.scoring.page import contributions

Points = dict[str, float]  # component → its points of the score
PRIOR = "prior"
LINEAR = frozenset({PRIOR})  # the paper's prior weights the readings themselves, without the transform
PAPER = editions.load()


def score_components(text: str, language: str, as_of: date, *weightings: str, edition: Edition = PAPER) -> list[Points]:
    """Return the points of every component, once for each weighting."""
    page = score_text(text, as_of=as_of, title="", language=language, edition=edition, evidence=False)
    values = {name: reading.value for name, reading in page.readings.items()}
    return [_weigh(values, name) for name in weightings]


def _weigh(values: Mapping[str, float], name: str) -> Points:
    weights = weighting.load(name).weights
    return {c: weights[c] * values[c] for c in weights} if name in LINEAR else contributions(values, weights)


def sum_points(points: Mapping[str, float]) -> float:
    return min(100.0, math.fsum(points.values()))


def measure_detectors(text: str, language: str, edition: Edition = PAPER) -> dict[str, float]:
    """Return the statistic of every detector."""
    document = edition.open(text, language)
    return {name: measurement.statistic for name, measurement in measure_page(document).items()}


_TOKEN = re.compile(r"[^\W_]+")
SHINGLE = 5  # words


def measure_repetition_rate(text: str) -> float:
    """Return the share of the page's tokens that occurred before."""
    tokens = _TOKEN.findall(text.lower())
    return 1 - len(set(tokens)) / len(tokens) if tokens else 0.0


def measure_repeated_shingles(text: str) -> float:
    """Return the share of the page's five-word sequences that occurred before."""
    tokens = _TOKEN.findall(text.lower())
    shingles = list(zip(*(tokens[at:] for at in range(SHINGLE)), strict=False))
    return 1 - len(set(shingles)) / len(shingles) if shingles else 0.0


BASELINES: Mapping[str, Callable[[str], float]] = {
    "repetition_rate": measure_repetition_rate,
    "repeated_shingles": measure_repeated_shingles,
}
