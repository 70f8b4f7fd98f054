"""The families of aggregation: how a component's value is transformed before it is weighted."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from steelyard.lab.protocol.component_values import Array, ComponentValues, Transform

SATURATED = 0.5  # a component with more of its training sources than this at 100 is at its ceiling
CEILING = 100.0


def raw(values: Array) -> Array:
    """Return the values themselves (A: g(u) = u)."""
    return values


def power(exponent: float) -> Transform:
    """Return g(u) = 100 (u / 100)^q; q = 1/2 is the shipped transform, q = 1 the raw one."""

    def transform(values: Array) -> Array:
        return np.asarray(100.0 * np.power(values / 100.0, exponent))

    return transform


sqrt = power(0.5)


def fit_quantile(train: ComponentValues) -> Transform:
    """Fit C: 100 times the share of training sources at or below the value."""
    ordered = np.sort(train.base, axis=0)

    def transform(values: Array) -> Array:
        pairs = zip(ordered.T, values.T, strict=True)
        return 100.0 * np.stack(
            [np.searchsorted(known, new, side="right") / len(known) for known, new in pairs], axis=1
        )

    return transform


def fit_hybrid(train: ComponentValues) -> Transform:
    """Fit the square root of values whose saturated components are replaced by mid-percentiles of training sources.

    A mid-percentile counts ties half, so that a value at the ceiling is no longer 100.
    """
    ordered = np.sort(train.base, axis=0)
    saturated = (train.base >= CEILING).mean(axis=0) > SATURATED

    def transform(values: Array) -> Array:
        result = values.copy()
        for i in np.flatnonzero(saturated):
            below = np.searchsorted(ordered[:, i], values[:, i], side="left")
            up_to = np.searchsorted(ordered[:, i], values[:, i], side="right")
            result[:, i] = 100.0 * (below + up_to) / (2 * len(ordered))
        return sqrt(result)

    return transform


FAMILIES: dict[str, Callable[[ComponentValues], Transform]] = {
    "sqrt": lambda train: sqrt,
    "raw": lambda train: raw,
    "quantile": fit_quantile,
    "hybrid": fit_hybrid,
}
