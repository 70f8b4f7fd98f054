"""Identifiability: which weights the evidence fixes, which it only bounds, and which it leaves open."""

from __future__ import annotations

from typing import Any

import numpy as np

from steelyard.components import NAMES
from steelyard.lab.protocol import fit
from steelyard.lab.protocol.alignment import align, summarize_responses
from steelyard.lab.protocol.component_values import Array, ComponentValues
from steelyard.lab.protocol.families import sqrt

GRID = (0.0, 0.02, 0.05, 0.08, 0.12, 0.16, 0.20, 0.25, 0.30, 0.35, 0.40, 0.50)
ENTROPY = ("shannon_entropy", "information_density")
FLOOR = 0.94  # the paper's: a held weight is admissible if the held-out alignment reaches it (Table tab:ident)
_NEGLIGIBLE = 1e-3  # a normalised weight below it counts as zero


def identify(train: ComponentValues, test: ComponentValues, french: ComponentValues | None = None) -> dict[str, Any]:
    """Run all parts of the analysis; the reference is the nested refit of the square-root family."""
    matrix = train.matrix(sqrt)
    reference = fit.fit_nested(train, sqrt)
    unregularised = fit.fit_weights(matrix, fit.LIMIT).weights
    released = fit.load_weights("shipped")
    return {
        "ridge": reference.ridge,
        "reference": evaluate_weights(reference.weights, train, test),
        "released": evaluate_weights(released, train, test),
        "unregularised": {
            **evaluate_weights(unregularised, train, test),
            "zeroed": [n for n, w in zip(NAMES, unregularised, strict=True) if w < _NEGLIGIBLE],
        },
        "components": {
            name: _profile_component(i, matrix, reference.ridge, test, released=float(released[i]))
            for i, name in enumerate(NAMES)
        },
        "entropy_merge": _merge_entropies(train, test, french),
        "plateau": describe_plateau(matrix),
    }


def evaluate_weights(weights: Array, train: ComponentValues, test: ComponentValues) -> dict[str, Any]:
    """Evaluate a weighting of the square-root family on both splits; `not_passed` names the gates it fails on test."""
    on_train, on_test = (summarize_responses(values.responses(sqrt, weights)) for values in (train, test))
    return {
        **on_test,
        "survives": not on_test["not_passed"],
        "train_pearson": on_train["pearson"],
        "train_gates": on_train["gates"],
        "train_not_passed": on_train["not_passed"],
        "train_cosine": fit.cosine(train.matrix(sqrt), weights),
        "weights": dict(zip(NAMES, weights.tolist(), strict=True)),
    }


def _profile_component(
    index: int, matrix: Array, ridge: float, test: ComponentValues, *, released: float
) -> dict[str, Any]:
    """Evaluate the fit without a component, and with its weight held at every value of the grid.

    `released_inside` says whether the released weight lies between the outermost admissible values.
    """

    def evaluate(fitted: fit.Fit) -> dict[str, Any]:
        return summarize_responses(test.responses(sqrt, fitted.weights))

    profile = []
    for value in GRID:
        found = evaluate(fit.fit_holding_one(matrix, ridge, index, value))
        admissible = not found["not_passed"] and (found["pearson"] or -1.0) >= FLOOR
        profile.append({"weight": value, "admissible": admissible, **found})
    admitted = [p["weight"] for p in profile if p["admissible"]]
    return {
        "left_out": evaluate(fit.fit_weights(matrix, ridge, zero=(index,))),
        "profile": profile,
        "admissible": [min(admitted), max(admitted)] if admitted else None,
        "released_inside": bool(admitted) and min(admitted) <= released <= max(admitted),
    }


def _merge_entropies(train: ComponentValues, test: ComponentValues, french: ComponentValues | None) -> dict[str, Any]:
    """Refit with one of the two entropy components left out, both ways, under the same protocol."""
    merges = {}
    for kept, left_out in (ENTROPY[::-1], ENTROPY):
        weights = fit.fit_nested(train, sqrt, zero=(NAMES.index(left_out),)).weights
        transfer = align(french.responses(sqrt, weights), draws=0).pearson if french else None
        merges[f"only {kept}"] = {**evaluate_weights(weights, train, test), "french_pearson": transfer}
    return merges


def describe_plateau(matrix: Array) -> dict[str, Any]:
    """Return rank and kernel of M: alignment cannot tell weightings apart that differ by a kernel vector."""
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
