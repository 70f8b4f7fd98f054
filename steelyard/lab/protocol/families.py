"""The families of aggregation: how a component's value is transformed before it is weighted."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from steelyard.lab.protocol.readings import Array, Readings, Transform

SATURATED = 0.5  # a component with more of its training sources than this at 100 is at its ceiling
CEILING = 100.0


def raw(values: Array) -> Array:
    """A: g(u) = u."""
    return values


def power(exponent: float) -> Transform:
    """g(u) = 100 (u / 100)^q; q = 1/2 is the shipped transform, q = 1 the raw one."""

    def transform(values: Array) -> Array:
        return np.asarray(100.0 * np.power(values / 100.0, exponent))

    return transform


sqrt = power(0.5)


def quantile(train: Readings) -> Transform:
    """C: 100 times the share of training sources at or below the value."""
    ordered = np.sort(train.base, axis=0)

    def transform(values: Array) -> Array:
        columns = [
            np.searchsorted(ordered[:, i], values[:, i], side="right") / len(ordered) for i in range(values.shape[1])
        ]
        return 100.0 * np.stack(columns, axis=1)

    return transform


def hybrid(train: Readings) -> Transform:
    """The square root, after components at their ceiling are replaced by their mid-percentile among training sources.

    With ties counted half a value at the ceiling is no longer 100, which is the point of it.
    """
    ordered = np.sort(train.base, axis=0)
    saturated = (train.base >= CEILING).mean(axis=0) > SATURATED

    def transform(values: Array) -> Array:
        renormalised = values.copy()
        for i in np.flatnonzero(saturated):
            below = np.searchsorted(ordered[:, i], values[:, i], side="left")
            upto = np.searchsorted(ordered[:, i], values[:, i], side="right")
            renormalised[:, i] = 100.0 * (below + upto) / (2 * len(ordered))
        return sqrt(renormalised)

    return transform


FAMILIES: dict[str, Callable[[Readings], Transform]] = {
    "sqrt": lambda train: sqrt,
    "raw": lambda train: raw,
    "quantile": quantile,
    "hybrid": hybrid,
}
