"""The Gate contract: a bound, a statistic, a margin, a verdict; nothing but responses goes in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

PASS, FAIL, UNDEFINED = "pass", "fail", "undefined"
FEWEST_SOURCES = 10


class Sample(Protocol):
    """What a gate may ask of responses, whole or resampled."""

    def __len__(self) -> int: ...
    @property
    def words(self) -> Sequence[int]: ...
    @property
    def points(self) -> Mapping[str, Sequence[float]]: ...
    def mean(self, variant: str) -> float: ...
    def delta(self, edit: str, dose: int) -> float: ...


@dataclass(frozen=True, slots=True)
class Statistic:
    """A gate's figure with the quantities it was made of; None with the reason when there is none.

    No figure is undefined, which is not a pass; `failed` says that it is a failure all the same.
    """

    value: float | None
    parts: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""
    failed: bool = False


class Gate(ABC):
    """One falsification test. The name is the class's, in lower case with hyphens."""

    bound: ClassVar[float]
    upper: ClassVar[bool] = True  # whether the statistic must stay at or under the bound, or at or over it
    unit: ClassVar[str] = "points"
    asks: ClassVar[str]  # what it asks of a scorer, in one sentence

    @property
    def name(self) -> str:
        return "".join(f"-{c.lower()}" if c.isupper() else c for c in type(self).__name__).lstrip("-")

    @abstractmethod
    def statistic(self, sample: Sample) -> Statistic:
        """The figure that is held against the bound."""

    def margin(self, value: float, bound: float | None = None) -> float:
        """How far the figure is on the passing side; negative on the failing one."""
        limit = self.bound if bound is None else bound
        return limit - value if self.upper else value - limit

    def passes(self, value: float, bound: float | None = None) -> bool:
        return self.margin(value, bound) >= 0
