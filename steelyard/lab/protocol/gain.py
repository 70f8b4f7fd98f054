"""Gain: what a lever buys over the untouched page, and the ceiling that the weights put on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.protocol.responses import Responses
from steelyard.lab.protocol.variants import COMBINED, DOSES, LEVERS, MOST, STUFFING, named
from steelyard.lab.stats.summary import quantile

LONG = 300  # words from which no cap hides a gain
CARRIERS = {"quotation": "quotable_density", "statistics": "statistic_density", "cite_sources": "citation_f1"}


def long_sources(responses: Responses) -> Responses:
    """The sources of 300 words and more."""
    kept = [i for i, words in enumerate(responses.words) if words >= LONG]
    return Responses(
        tuple(responses.sources[i] for i in kept),
        tuple(responses.words[i] for i in kept),
        {name: [column[i] for i in kept] for name, column in responses.points.items()},
    )


def gains(responses: Responses) -> list[dict[str, Any]]:
    """One row per lever and dose: mean gain over the untouched page, 95th percentile, worst page."""
    rows = []
    for edit in (*LEVERS, STUFFING, "combined"):
        for dose in DOSES:
            variant = named(edit, dose)
            if variant not in responses.points:
                continue
            gain = responses.gain(variant)
            rows.append(
                {
                    "edit": edit,
                    "dose": dose,
                    "mean": mean(gain),
                    "p95": quantile(gain, 0.95),
                    "worst": max(gain),
                    "worst_page": responses.sources[gain.index(max(gain))],
                }
            )
    return rows


def ceilings(base: Mapping[str, float], weights: Mapping[str, float]) -> dict[str, float]:
    """Per lever w_i (100 - mean g(f_i)) of its carrier: all that the carrier could ever add. `base` holds the means."""
    return {lever: weights[carrier] * (100 - base[carrier]) for lever, carrier in CARRIERS.items()}


def combined(responses: Responses) -> list[dict[str, float]]:
    """The three levers together beside the sum of their single gains, at the lowest and the highest dose."""
    sums = {d: sum(mean(responses.gain(named(lever, d))) for lever in LEVERS) for d in (1, MOST)}
    rows = []
    for variant in COMBINED:
        gain = mean(responses.gain(variant.name))
        rows.append({"dose": variant.dose, "combined": gain, "sum_dose_1": sums[1], f"sum_dose_{MOST}": sums[MOST]})
    return rows
