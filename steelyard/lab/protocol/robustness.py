"""Robustness: is the selected point a plateau or a knife-edge?"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.protocol import fit
from steelyard.lab.protocol.alignment import align
from steelyard.lab.protocol.component_values import Array, ComponentValues, Transform
from steelyard.lab.protocol.families import power, sqrt
from steelyard.lab.protocol.gates import GATES, count_passed, judge
from steelyard.lab.protocol.variants import MOST, STUFFING

RESPLITS = 10
PERTURBATIONS = 200
LARGEST_CHANGE = 0.10  # of a weight, as a share of it
EXPONENTS = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def study_robustness(train: ComponentValues, test: ComponentValues, *, seed: int = 0) -> dict[str, Any]:
    """Evaluate other splits, perturbed weights, every ridge strength and every exponent."""
    reference = fit.fit_nested(train, sqrt)
    rows = {
        "resplits": _resplit(train.join(test), len(train), seed),
        "ridges": [_evaluate_fit(fit.fit_weights(train.matrix(sqrt), ridge), sqrt, test) for ridge in fit.LAMBDAS],
        "exponents": [
            {"exponent": q, **_evaluate_fit(fit.fit_nested(train, power(q)), power(q), test)} for q in EXPONENTS
        ],
    }
    return {
        "reference": _evaluate_fit(reference, sqrt, test),
        "perturbations": _perturb(reference.weights, test, seed),
        **rows,
        "summary": {name: summarize(of) for name, of in rows.items()},
    }


def summarize(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return range and mean of the alignment, range of the control at dose 8, and how many rows pass what."""
    aligned, stuffed = [r["pearson"] for r in rows], [r["stuffing_dose_8"] for r in rows]
    return {
        "n": len(rows),
        "lowest_pearson": min(aligned),
        "highest_pearson": max(aligned),
        "mean_pearson": mean(aligned),
        "weakest_stuffing_dose_8": max(stuffed),
        "strongest_stuffing_dose_8": min(stuffed),
        "control_holds": sum(r["stuffing_dose_1"] <= 0 and r["stuffing_dose_8"] <= 0 for r in rows),
        "all_gates": sum(r["gates"] == len(GATES) for r in rows),
    }


def _evaluate_fit(fitted: fit.Fit, transform: Transform, test: ComponentValues) -> dict[str, Any]:
    return {"ridge": fitted.ridge, **_evaluate(fitted.weights, transform, test)}


def _evaluate(weights: Array, transform: Transform, test: ComponentValues) -> dict[str, Any]:
    responses = test.responses(transform, weights)
    verdicts = {v.gate: v for v in judge(responses, draws=0)}
    return {
        "pearson": align(responses, draws=0).pearson,
        "stuffing_dose_1": responses.delta(STUFFING, 1),
        "stuffing_dose_8": responses.delta(STUFFING, MOST),
        "worst_step": verdicts["dose-response"].statistic,
        "saturation": verdicts["saturation"].statistic,
        "gates": count_passed([*verdicts.values()]),
    }


def _resplit(everything: ComponentValues, size: int, seed: int) -> list[dict[str, Any]]:
    """Refit on ten other training halves and evaluate on the rest."""
    rows = []
    for number in range(RESPLITS):
        order = list(range(len(everything)))
        random.Random(f"{seed}|resplit|{number}").shuffle(order)
        train, test = everything.select(sorted(order[:size])), everything.select(sorted(order[size:]))
        rows.append({"split": number, **_evaluate_fit(fit.fit_nested(train, sqrt), sqrt, test)})
    return rows


def _perturb(weights: Array, test: ComponentValues, seed: int) -> dict[str, Any]:
    """Change every weight by up to a tenth of itself, two hundred times."""
    rng = random.Random(f"{seed}|perturbations")
    rows = []
    for _ in range(PERTURBATIONS):
        changed = weights * np.array([1 + rng.uniform(-LARGEST_CHANGE, LARGEST_CHANGE) for _ in weights])
        rows.append(_evaluate(changed / changed.sum(), sqrt, test))
    return {
        "n": PERTURBATIONS,
        "shake": LARGEST_CHANGE,
        "worst_pearson": min(r["pearson"] for r in rows),
        "best_pearson": max(r["pearson"] for r in rows),
        "worst_stuffing_dose_8": max(r["stuffing_dose_8"] for r in rows),
        "fewest_gates": min(r["gates"] for r in rows),
    }
