"""The raw component values of a capture as arrays, and the families of transforms before they are weighted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from steelyard.components import NAMES
from steelyard.errors import SteelyardError
from steelyard.lab.corpus import TEST, TRAIN
from steelyard.lab.protocol.capture import Capture
from steelyard.lab.protocol.responses import Responses
from steelyard.lab.protocol.variants import BASE, FILLER, INTERVENTIONS, variant_name

MIN_SOURCES = 10  # sources in each split

Array = NDArray[np.float64]
Transform = Callable[[Array], Array]


class TooFewSources(SteelyardError):
    """A study that fits on one split and confirms on the other needs sources in both."""

    def __init__(self, train: int, test: int) -> None:
        super().__init__(
            f"undefined: {train} training and {test} test sources; a study that fits and confirms needs "
            f"{MIN_SOURCES} in each half, so give {2 * MIN_SOURCES} pages or more"
        )


@dataclass(frozen=True)
class ComponentValues:
    """Raw component values; `values[variant]` has a row per source and a column per component."""

    sources: tuple[str, ...]
    words: tuple[int, ...]
    values: Mapping[str, Array]

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def base(self) -> Array:
        return self.values[BASE.name]

    def matrix(self, transform: Transform) -> Array:
        """Return M: the mean response of every transformed component to every intervention at dose 1, 5 x 11."""
        filler = transform(self.values[variant_name(FILLER, 1)]).mean(axis=0)
        return np.stack([transform(self.values[variant_name(e, 1)]).mean(axis=0) - filler for e in INTERVENTIONS])

    def responses(self, transform: Transform, weights: Array) -> Responses:
        """Return the points of the strategy (transform, weights)."""
        points = {name: (transform(value) @ weights).tolist() for name, value in self.values.items()}
        return Responses(self.sources, self.words, points)

    def select(self, indices: Sequence[int]) -> ComponentValues:
        """Return the sources at these indices."""
        chosen = list(indices)
        return ComponentValues(
            tuple(self.sources[i] for i in chosen),
            tuple(self.words[i] for i in chosen),
            {name: value[chosen] for name, value in self.values.items()},
        )

    def join(self, other: ComponentValues) -> ComponentValues:
        """Return the sources of both."""
        return ComponentValues(
            self.sources + other.sources,
            self.words + other.words,
            {name: np.concatenate([value, other.values[name]]) for name, value in self.values.items()},
        )


def read_component_values(capture: Capture, *, split: str | None = None) -> ComponentValues:
    """Read the component values from a capture of our own scorer.

    Raises:
        SteelyardError: The capture is of another scorer.
    """
    require_component_values(capture)
    columns = [capture.responses(itemgetter(name), split=split) for name in NAMES]
    first = columns[0]
    values = {variant: np.array([column.points[variant] for column in columns], float).T for variant in first.points}
    return ComponentValues(first.sources, first.words, values)


def require_component_values(capture: Capture) -> None:
    """Raise SteelyardError if the capture is not of our own scorer."""
    if any(name not in row["values"] for row in capture.rows if "values" in row for name in NAMES):
        raise SteelyardError(
            f"this capture is of the scorer {capture.header.parameters['name']!r} and holds no component readings; "
            "capture with a weighting (shipped, prior, equal) for this study"
        )


def split_train_test(capture: Capture) -> tuple[ComponentValues, ComponentValues]:
    """Read the training and the test sources of a capture.

    Raises:
        TooFewSources: One of the splits has fewer than ten sources.
    """
    train, test = (read_component_values(capture, split=split) for split in (TRAIN, TEST))
    if len(train) < MIN_SOURCES or len(test) < MIN_SOURCES:
        raise TooFewSources(len(train), len(test))
    return train, test


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
