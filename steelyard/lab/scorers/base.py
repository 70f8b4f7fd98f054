"""The Scorer contract: what every scorer, ours or anybody's, looks like to the laboratory."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

# The ways in which a scorer can fail on a page; every one of them is reported, none becomes a number.
CRASHED = "crashed"
TIMED_OUT = "timed out"
NOT_A_NUMBER = "not a number"
OUT_OF_RANGE = "out of range"
FAILURES = (CRASHED, TIMED_OUT, NOT_A_NUMBER, OUT_OF_RANGE)

POINTS = "points"  # the key of a scorer that gives one number


@dataclass(frozen=True, slots=True)
class Passage:
    """What a scorer is given: a text, its language, and its title where the view has one."""

    text: str
    language: str = "en"
    title: str | None = None


class ScorerFailed(Exception):
    """The scorer gave no usable number for one text: `kind` is one of FAILURES, `detail` what happened."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail


class Session(Protocol):
    """A scorer at work."""

    def score(self, passage: Passage) -> Mapping[str, float]:
        """Named values, of which POINTS is the score in points; raises ScorerFailed."""


class Scorer(Protocol):
    """A frozen, picklable description of a scorer; `open` starts it (in whatever process calls it)."""

    @property
    def name(self) -> str: ...

    @property
    def parallel(self) -> bool:
        """Whether several processes may each open their own session."""

    def open(self) -> AbstractContextManager[Session]: ...


@dataclass(frozen=True, slots=True)
class Range:
    """The scorer's own scale, `low` to `high`, and its rescaling to 0 to 100 points."""

    low: float = 0.0
    high: float = 100.0

    def points(self, value: float) -> float:
        """The value in points; ScorerFailed when it is not finite or leaves the range."""
        if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124 - NaN alone differs from itself
            raise ScorerFailed(NOT_A_NUMBER, f"the scorer returned {value!r}")
        if not self.low <= value <= self.high:
            raise ScorerFailed(
                OUT_OF_RANGE, f"the scorer returned {value!r}, outside {self.low:g} to {self.high:g}; see --range"
            )
        return 100.0 * (value - self.low) / (self.high - self.low)
