"""The Scorer contract: what every scorer, our own or someone else's, looks like to the laboratory."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from steelyard.errors import SteelyardError

# The ways in which a scorer can fail on a page. Each of them is reported; none becomes a number.
CRASHED = "crashed"
TIMED_OUT = "timed out"
NOT_A_NUMBER = "not a number"
OUT_OF_RANGE = "out of range"

POINTS = "points"  # the key under which every scorer returns its score


@dataclass(frozen=True, slots=True)
class Passage:
    """What a scorer is asked about: a text, its language, and its title if the view has one."""

    text: str
    language: str = "en"
    title: str | None = None


class ScorerFailed(Exception):
    """The scorer gave no usable number for one text: `kind` is one of the four above, `detail` says what happened."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail


class Session(Protocol):
    """A scorer that has been started."""

    def score(self, passage: Passage) -> Mapping[str, float]:
        """Return named values, with the score in points under POINTS, or raise ScorerFailed."""


class Scorer(Protocol):
    """A frozen, picklable description of a scorer.

    `open` starts it in the process that calls it, and raises SteelyardError when it cannot be used at all.
    """

    @property
    def name(self) -> str: ...

    @property
    def parallel(self) -> bool:
        """Whether several processes may each open their own session."""

    def open(self) -> AbstractContextManager[Session]: ...


@dataclass(frozen=True, slots=True)
class Range:
    """The scorer's own scale, from `low` to `high`; anything but a finite interval raises SteelyardError."""

    low: float = 0.0
    high: float = 100.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise SteelyardError(f"the range {self.low:g} to {self.high:g} is empty; give the lower bound first")

    def to_points(self, value: float) -> float:
        """Rescale a value to 0 to 100 points; raise ScorerFailed when it is not finite or not in the range."""
        if not math.isfinite(value):
            raise ScorerFailed(NOT_A_NUMBER, f"the scorer returned {value!r}")
        if not self.low <= value <= self.high:
            raise ScorerFailed(
                OUT_OF_RANGE, f"the scorer returned {value!r}, outside {self.low:g} to {self.high:g}; see --range"
            )
        return 100.0 * (value - self.low) / (self.high - self.low)


@dataclass(frozen=True, slots=True)
class AnyNumber(Range):
    """No scale at all: a value is taken as it is, where only the order of values counts."""

    def to_points(self, value: float) -> float:
        """Return the value; raise ScorerFailed when it is not finite."""
        if not math.isfinite(value):
            raise ScorerFailed(NOT_A_NUMBER, f"the scorer returned {value!r}")
        return value
