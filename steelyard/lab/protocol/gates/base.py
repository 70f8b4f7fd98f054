"""What a gate is: a figure computed from responses alone, and the bound it is held against."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from steelyard.lab.protocol.responses import Responses

# Undecided: the 95% interval holds the bound, or there is nothing to judge by; undefined: there is no figure.
PASS, FAIL, UNDECIDED, UNDEFINED = "pass", "fail", "undecided", "undefined"
MIN_SOURCES = 10
MIN_RESPONSE = 0.05  # points: below it there is no response to speak of, and a ratio of two says nothing


@dataclass(frozen=True, slots=True)
class Statistic:
    """A gate's figure and the quantities behind it.

    A `value` of None is no pass; `without_value` is the verdict then, and `reason` says why. Where the figure is the
    worst of several, `candidates` holds them all, because the worst of several noisy figures looks worse than it is;
    None is one that could not be computed, and infinite a ratio without a bound.
    """

    value: float | None
    parts: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""
    without_value: str = UNDEFINED
    candidates: tuple[float | None, ...] = ()


class Gate(ABC):
    """One falsification test. Its name is the class name in lower case with hyphens."""

    bound: ClassVar[float]
    is_upper_bound: ClassVar[bool] = True  # whether the figure must not exceed the bound, or must reach it
    least: ClassVar[float] = -math.inf  # that the figure can be
    unit: ClassVar[str] = "points"
    question: ClassVar[str]

    @property
    def name(self) -> str:
        return "".join(f"-{c.lower()}" if c.isupper() else c for c in type(self).__name__).lstrip("-")

    @abstractmethod
    def measure(self, responses: Responses) -> Statistic:
        """Compute the figure that is held against the bound."""

    def margin(self, value: float, bound: float | None = None) -> float:
        """Return how far the figure is on the passing side; negative if it fails."""
        limit = self.bound if bound is None else bound
        return limit - value if self.is_upper_bound else value - limit

    def passes(self, value: float, bound: float | None = None) -> bool:
        return self.margin(value, bound) >= 0
