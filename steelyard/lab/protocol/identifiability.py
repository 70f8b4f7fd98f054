"""Identifiability: which weights the evidence fixes, which it only bounds, and which it leaves open."""

from __future__ import annotations

from typing import Any

import numpy as np

from steelyard.components import NAMES
from steelyard.lab.protocol import fit
from steelyard.lab.protocol.alignment import align
from steelyard.lab.protocol.families import sqrt
from steelyard.lab.protocol.gates import judge, passed, survives
from steelyard.lab.protocol.gates.base import PASS
from steelyard.lab.protocol.readings import Array, Readings
from steelyard.lab.protocol.strategies import FLOOR

GRID = (0.0, 0.02, 0.05, 0.08, 0.12, 0.16, 0.20, 0.25, 0.30, 0.35, 0.40, 0.50)
ENTROPY = ("shannon_entropy", "information_density")
# λ → 0: weak enough to cost the cosine nothing (under 1e-9), strong enough to say where on the plateau the fit ends.
# At 1e-9 the silent components kept whatever weight the start had given them.
LIMIT = 1e-5
_NEGLIGIBLE = 1e-3  # a normalised weight below it counts as zero


def outcome(weights: Array, train: Readings, test: Readings) -> dict[str, Any]:
    """How a weighting of the square-root family comes out, on both splits."""
    responses = test.responses(sqrt, weights)
    verdicts = judge(responses, draws=0)
    on_train = train.responses(sqrt, weights)
    return {
        "weights": dict(zip(NAMES, weights.tolist(), strict=True)),
        "pearson": align(responses, draws=0).pearson,
        "train_pearson": align(on_train, draws=0).pearson,
        "train_cosine": fit.cosine(train.matrix(sqrt), weights),
        "gates": passed(verdicts),
        "train_gates": passed(judge(on_train, draws=0)),
        "not_passed": [v.gate for v in verdicts if v.status != PASS],
        "stuffing_dose_8": responses.delta("keyword_stuffing", 8),
        "survives": survives(verdicts),
    }


def identify(train: Readings, test: Readings, french: Readings | None = None) -> dict[str, Any]:
    """All parts of the analysis; the reference is the nested refit of the square-root family."""
    matrix = train.matrix(sqrt)
    reference = fit.nested(train, sqrt)
    free = fit.fit(matrix, LIMIT)
    return {
        "ridge": reference.ridge,
        "reference": outcome(reference.weights, train, test),
        "released": outcome(fit.vector("shipped"), train, test),
        "unregularised": {
            **outcome(free.weights, train, test),
            "zeroed": [n for n, w in zip(NAMES, free.weights, strict=True) if w < _NEGLIGIBLE],
        },
        "components": {name: _component(i, matrix, reference.ridge, train, test) for i, name in enumerate(NAMES)},
        "entropy_merge": _merges(train, test, french),
        "plateau": plateau(matrix),
    }


def _component(index: int, matrix: Array, ridge: float, train: Readings, test: Readings) -> dict[str, Any]:
    """Left out, and held at every value of the grid."""
    without = fit.fit(matrix, ridge, zero=(index,))
    profile = []
    for value in GRID:
        weights = fit.profile(matrix, ridge, index, value).weights
        found = outcome(weights, train, test)
        admissible = bool(found["survives"] and (found["pearson"] or -1.0) >= FLOOR)
        profile.append({"weight": value, "admissible": admissible, **_short(found)})
    admitted = [p["weight"] for p in profile if p["admissible"]]
    return {
        "left_out": _short(outcome(without.weights, train, test)),
        "profile": profile,
        "admissible": [min(admitted), max(admitted)] if admitted else None,
    }


def _short(found: dict[str, Any]) -> dict[str, Any]:
    return {key: found[key] for key in ("pearson", "gates", "not_passed", "stuffing_dose_8")}


def _merges(train: Readings, test: Readings, french: Readings | None) -> dict[str, Any]:
    """All entropy mass under one name, both ways, refitted under the same protocol."""
    merges = {}
    for kept, left in (ENTROPY[::-1], ENTROPY):
        found = fit.nested(train, sqrt, zero=(NAMES.index(left),))
        transfer = align(french.responses(sqrt, found.weights), draws=0).pearson if french else None
        merges[f"only {kept}"] = {**outcome(found.weights, train, test), "french_pearson": transfer}
    return merges


def plateau(matrix: Array) -> dict[str, Any]:
    """Rank and kernel of M: weightings that differ by a kernel vector cannot be told apart by alignment."""
    singular = np.linalg.svd(matrix, compute_uv=False)
    # Relative to the largest: responses under a ten-thousandth of it are rounding, not evidence.
    rank = int((singular > 1e-4 * singular[0]).sum()) if singular[0] > 0 else 0
    return {
        "singular_values": singular.tolist(),
        "rank": rank,
        "kernel_dimension": matrix.shape[1] - rank,
        "at_least": matrix.shape[1] - matrix.shape[0],
        "silent": [n for n, column in zip(NAMES, matrix.T, strict=True) if not np.abs(column).max() > 0],
    }
