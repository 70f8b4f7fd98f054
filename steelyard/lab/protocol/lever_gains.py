"""What each lever does to the score: dose curves, gains over the untouched page, and the ceilings of those gains.

The levers that the paper leaves open are measured here too, and counted in no gate.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.protocol.capture import Capture, Value
from steelyard.lab.protocol.gates import DRAWS
from steelyard.lab.protocol.gates.base import MIN_SOURCES
from steelyard.lab.protocol.responses import Responses
from steelyard.lab.protocol.variants import (
    BASE,
    COMBINED,
    DOSES,
    FILLER,
    FILLER_PARAGRAPH,
    LEVERS,
    MAX_DOSE,
    OPEN,
    STRUCTURE,
    STUFFING,
    TECHNICAL,
    variant_name,
)
from steelyard.lab.stats.intervals import (
    MIN_PAGES,
    draw_resamples,
    estimate_mean,
    estimate_means,
    interval_of_resamples,
    interval_of_worst,
    resample_means,
)
from steelyard.support.quantile import quantile

TOGETHER = "combined"  # all levers in one edit
LONG = 300  # words from which no cap hides a gain
PAPER_MOST = 6.0  # points: the most that any lever gains, according to the paper's abstract
CARRIERS = {"quotation": "quotable_density", "statistics": "statistic_density", "cite_sources": "citation_f1"}


def measure_curves(responses: Responses, *, draws: int = DRAWS, seed: int = 0) -> dict[str, list[dict[str, Any]]]:
    """Return edit → [{dose, response, low, high}], against as much neutral filler."""
    curves: dict[str, list[dict[str, Any]]] = {edit: [] for edit in (*LEVERS, TECHNICAL, STUFFING)}
    measured = [(edit, dose) for edit in curves for dose in DOSES if variant_name(edit, dose) in responses.points]
    for (edit, dose), response in zip(measured, measure_responses(responses, measured, draws, seed), strict=True):
        curves[edit].append({"dose": dose, **response})
    return curves


def measure_responses(
    responses: Responses, edits: Sequence[tuple[str, int]], draws: int, seed: int, control: str = FILLER
) -> list[dict[str, float | None]]:
    """Return {response, low, high} of each edit at its dose, against as much neutral filler."""
    resampled = [[sample.delta(*edit, control) for edit in edits] for sample in responses.resample(draws, seed)]
    rows = []
    for position, edit in enumerate(edits):
        low, high = interval_of_resamples([deltas[position] for deltas in resampled]) or (None, None)
        rows.append({"response": responses.delta(*edit, control), "low": low, "high": high})
    return rows


def select_long_sources(responses: Responses) -> Responses:
    """Return the sources of 300 words and more."""
    return responses.select([i for i, words in enumerate(responses.words) if words >= LONG])


def measure_gains(responses: Responses, *, seed: int = 0) -> list[dict[str, Any]]:
    """Return one row per lever and dose: mean gain over the untouched page with its interval, 95th percentile, worst.

    `share_over_6` is the share of pages that gain more than the paper's 6 points; `combined` is all levers together.
    """
    variants = [
        (edit, dose)
        for edit in (*LEVERS, STUFFING, TOGETHER)
        for dose in DOSES
        if variant_name(edit, dose) in responses.points
    ]
    gains = [responses.gain(variant_name(edit, dose)) for edit, dose in variants]
    rows = []
    estimates = estimate_means(gains, random.Random(f"{seed}|gains"))
    for (edit, dose), gain, estimate in zip(variants, gains, estimates, strict=True):
        worst = max(gain)
        rows.append(
            {
                "edit": edit,
                "dose": dose,
                **estimate,
                "p95": quantile(gain, 0.95),
                "worst": worst,
                "worst_page": responses.sources[gain.index(worst)],
                "share_over_6": mean([float(points > PAPER_MOST) for points in gain]),
            }
        )
    return rows


def find_largest_gain(
    rows: Sequence[Mapping[str, Any]], responses: Responses | None = None, *, seed: int = 0
) -> dict[str, Any]:
    """Return the row of the lever and dose with the largest mean gain.

    With the responses also `interval_of_largest`, the interval of the largest mean of them all: the largest of several
    is larger than the truth by chance alone, which the row's own interval does not allow for.
    """
    of_levers = [row for row in rows if row["edit"] in LEVERS]
    largest = dict(max(of_levers, key=lambda row: row["mean"]))
    if responses is None:
        return largest
    gains = [responses.gain(variant_name(row["edit"], row["dose"])) for row in of_levers]
    return {**largest, "interval_of_largest": estimate_largest_mean(gains, seed=seed)}


def estimate_largest_mean(
    columns: Sequence[Sequence[float]], *, draws: int = DRAWS, seed: int = 0
) -> list[float] | None:
    """Return the interval of the largest mean of several columns over the same pages; None for too few pages."""
    pages = len(columns[0])
    if pages < MIN_PAGES or not draws:
        return None
    resamples = draw_resamples(pages, draws, random.Random(f"{seed}|gains"))
    interval = interval_of_worst(list(zip(*resample_means(columns, resamples), strict=True)), largest=True)
    return interval and list(interval)


def measure_changes(responses: Responses, *, seed: int = 0) -> list[dict[str, Any]]:
    """Return for every edit its gain at the highest dose less that at dose 1, page by page: mean, n, interval."""
    pairs = {edit: (variant_name(edit, 1), variant_name(edit, MAX_DOSE)) for edit in (*LEVERS, STUFFING, TOGETHER)}
    there = {edit: pair for edit, pair in pairs.items() if set(pair) <= responses.points.keys()}
    gains = [(responses.gain(first), responses.gain(last)) for first, last in there.values()]
    changes = [[after - before for before, after in zip(*pair, strict=True)] for pair in gains]
    estimates = estimate_means(changes, random.Random(f"{seed}|gains"))
    return [{"edit": edit, **estimate} for edit, estimate in zip(there, estimates, strict=True)]


def compute_ceilings(base_means: Mapping[str, float], weights: Mapping[str, float]) -> dict[str, float]:
    """Return w_i (100 - mean g(f_i)) of each lever's carrier: all that the carrier could ever add.

    Args:
        base_means: Mean g(f_i) of every component over the untouched pages.
        weights: The weight of every component.
    """
    return {lever: weights[carrier] * (100 - base_means[carrier]) for lever, carrier in CARRIERS.items()}


def measure_combined(responses: Responses) -> list[dict[str, float]]:
    """Compare the gain of the three levers together with the sum of their single gains, at doses 1 and 8."""
    sums = {d: sum(mean(responses.gain(variant_name(lever, d))) for lever in LEVERS) for d in (1, MAX_DOSE)}
    return [
        {
            "dose": variant.dose,
            "combined": mean(responses.gain(variant.name)),
            "sum_dose_1": sums[1],
            f"sum_dose_{MAX_DOSE}": sums[MAX_DOSE],
        }
        for variant in COMBINED
    ]


def measure_exploratory(
    capture: Capture, figures: Mapping[str, Value], *, draws: int = DRAWS, seed: int = 0
) -> dict[str, Any]:
    """Return for each figure one row per lever: response against as much filler, and mean gain over the untouched page.

    Nothing for too few sources, and for a capture that was made before there were these levers.
    """
    levers = [lever for lever in OPEN if variant_name(lever, 1) in capture.header.parameters["variants"]]
    names = [BASE.name, *(variant_name(edit, 1) for edit in (FILLER, FILLER_PARAGRAPH, *levers))]
    by_figure = {name: capture.responses(value, variants=names) for name, value in figures.items()} if levers else {}
    sources = min((len(responses) for responses in by_figure.values()), default=0)
    if sources < MIN_SOURCES:
        return {}
    rows = {name: _measure_levers(responses, levers, draws, seed) for name, responses in by_figure.items()}
    return {"sources": sources, "figures": rows}


def _measure_levers(responses: Responses, levers: Sequence[str], draws: int, seed: int) -> list[dict[str, Any]]:
    rows = []
    for lever in levers:
        control = FILLER_PARAGRAPH if lever in STRUCTURE else FILLER
        (response,) = measure_responses(responses, [(lever, 1)], draws, seed, control)
        gain = estimate_mean(responses.gain(variant_name(lever, 1)), random.Random(f"{seed}|gains"))
        rows.append({"edit": lever, **response, "gain": gain["mean"], "n": gain["n"], "interval": gain["interval"]})
    return rows
