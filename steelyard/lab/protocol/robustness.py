"""Robustness: is the selected point a plateau or a knife-edge?"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from steelyard.lab.protocol import fit
from steelyard.lab.protocol.alignment import align
from steelyard.lab.protocol.families import power, sqrt
from steelyard.lab.protocol.gates import judge, passed
from steelyard.lab.protocol.readings import Array, Readings, Transform

RESPLITS = 10
PERTURBATIONS = 200
SHAKE = 0.10
EXPONENTS = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def robustness(train: Readings, test: Readings, *, seed: int = 0) -> dict[str, Any]:
    """Re-splits, perturbed weights, the grid of strengths, the sweep of exponents."""
    reference = fit.nested(train, sqrt)
    return {
        "reference": {"ridge": reference.ridge, **_held_out(reference.weights, sqrt, test)},
        "resplits": _resplits(train.joined(test), len(train), seed),
        "perturbations": _perturbed(reference.weights, test, seed),
        "ridges": [
            {"ridge": ridge, **_held_out(fit.fit(train.matrix(sqrt), ridge).weights, sqrt, test)}
            for ridge in fit.LAMBDAS
        ],
        "exponents": [_exponent(q, train, test) for q in EXPONENTS],
    }


def _held_out(weights: Array, transform: Transform, test: Readings) -> dict[str, Any]:
    responses = test.responses(transform, weights)
    verdicts = judge(responses, draws=0)
    by_name = {v.gate: v for v in verdicts}
    return {
        "pearson": align(responses, draws=0).pearson,
        "stuffing_dose_1": responses.delta("keyword_stuffing", 1),
        "stuffing_dose_8": responses.delta("keyword_stuffing", 8),
        "worst_step": by_name["dose-response"].statistic,
        "saturation": by_name["saturation"].statistic,
        "gates": passed(verdicts),
    }


def _resplits(everything: Readings, size: int, seed: int) -> list[dict[str, Any]]:
    """Ten other halves, each with its own nested refit."""
    rows = []
    for number in range(RESPLITS):
        order = list(range(len(everything)))
        random.Random(f"{seed}|resplit|{number}").shuffle(order)
        train, test = everything.part(sorted(order[:size])), everything.part(sorted(order[size:]))
        found = fit.nested(train, sqrt)
        rows.append({"split": number, "ridge": found.ridge, **_held_out(found.weights, sqrt, test)})
    return rows


def _perturbed(weights: Array, test: Readings, seed: int) -> dict[str, Any]:
    """Every weight moved by up to a tenth of itself, two hundred times."""
    rng = random.Random(f"{seed}|perturbations")
    rows = []
    for _ in range(PERTURBATIONS):
        shaken = weights * np.array([1 + rng.uniform(-SHAKE, SHAKE) for _ in weights])
        rows.append(_held_out(shaken / shaken.sum(), sqrt, test))
    aligned = [r["pearson"] for r in rows]
    return {
        "n": PERTURBATIONS,
        "shake": SHAKE,
        "worst_pearson": min(aligned),
        "best_pearson": max(aligned),
        "worst_stuffing_dose_8": max(r["stuffing_dose_8"] for r in rows),
        "fewest_gates": min(r["gates"] for r in rows),
    }


def _exponent(q: float, train: Readings, test: Readings) -> dict[str, Any]:
    transform = power(q)
    found = fit.nested(train, transform)
    return {"exponent": q, "ridge": found.ridge, **_held_out(found.weights, transform, test)}
