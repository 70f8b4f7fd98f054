"""The readings of a capture as arrays: source x component for every variant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from steelyard.components import NAMES
from steelyard.errors import SteelyardError
from steelyard.lab.corpus.corpus import TEST, TRAIN
from steelyard.lab.protocol.capture import Capture
from steelyard.lab.protocol.responses import Responses
from steelyard.lab.protocol.variants import BASE, FILLER, INTERVENTIONS, named

FEWEST = 10  # sources in a half

Array = NDArray[np.float64]
Transform = Callable[[Array], Array]


class NotOurs(SteelyardError):
    """A study of the components needs a capture of our own scorer."""

    def __init__(self, scorer: str) -> None:
        super().__init__(
            f"this capture is of the scorer {scorer!r} and holds no component readings; "
            "capture with a weighting (shipped, prior, equal) for this study"
        )


@dataclass(frozen=True)
class Readings:
    """Raw component values; `values[variant]` has a row per source and a column per component."""

    sources: tuple[str, ...]
    words: tuple[int, ...]
    values: Mapping[str, Array]

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def base(self) -> Array:
        return self.values[BASE.name]

    def matrix(self, transform: Transform, dose: int = 1) -> Array:
        """M: the mean response of every transformed component to every intervention, 5 x 11."""
        filler = transform(self.values[named(FILLER, dose)]).mean(axis=0)
        return np.stack([transform(self.values[named(m, dose)]).mean(axis=0) - filler for m in INTERVENTIONS])

    def responses(self, transform: Transform, weights: Array) -> Responses:
        """The points of the strategy (transform, weights)."""
        points = {name: (transform(value) @ weights).tolist() for name, value in self.values.items()}
        return Responses(self.sources, self.words, points)

    def part(self, indices: Array | list[int]) -> Readings:
        """Some of the sources."""
        chosen = [int(i) for i in indices]
        return Readings(
            tuple(self.sources[i] for i in chosen),
            tuple(self.words[i] for i in chosen),
            {name: value[chosen] for name, value in self.values.items()},
        )

    def joined(self, other: Readings) -> Readings:
        """The sources of both."""
        return Readings(
            self.sources + other.sources,
            self.words + other.words,
            {name: np.concatenate([value, other.values[name]]) for name, value in self.values.items()},
        )


def readings(capture: Capture, *, split: str | None = None) -> Readings:
    """The readings of a capture of our own scorer."""
    columns = {name: capture.responses(partial(_value, capture, name), split=split) for name in NAMES}
    first = columns[NAMES[0]]
    return Readings(
        first.sources,
        first.words,
        {variant: np.array([columns[n].points[variant] for n in NAMES], float).T for variant in first.points},
    )


def _value(capture: Capture, name: str, values: Mapping[str, float]) -> float:
    if name not in values:
        raise NotOurs(str(capture.header.parameters["name"]))
    return values[name]


class TooFewSources(SteelyardError):
    """A study that fits on one half and confirms on the other needs sources in both."""

    def __init__(self, train: int, test: int) -> None:
        super().__init__(
            f"undefined: {train} training and {test} test sources; a study that fits and confirms needs "
            f"{FEWEST} in each half, so give {2 * FEWEST} pages or more"
        )


def halves_of(capture: Capture) -> tuple[Readings, Readings]:
    """The training and the test sources of a capture, of which there must be enough."""
    train, test = readings(capture, split=TRAIN), readings(capture, split=TEST)
    if len(train) < FEWEST or len(test) < FEWEST:
        raise TooFewSources(len(train), len(test))
    return train, test
