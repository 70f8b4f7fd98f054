"""The Detector contract: one statistic with the places it was found at; a threshold turns it into a suspicion."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from steelyard.detectors.inspected import Examined

AT_THRESHOLD = 0.5
PLACES = 20  # that a detector points at, at most


@dataclass(frozen=True, slots=True)
class Measured:
    """A detector's statistic, 0 or more, what it was made of, and where: in the reading text, or in the source."""

    statistic: float
    parts: Mapping[str, float] = field(default_factory=dict)
    spans: tuple[tuple[int, int], ...] = ()
    in_source: tuple[tuple[int, int], ...] = ()  # what a reader does not see has no place in the reading text


class Detector(ABC):
    """One kind of manipulation. The name is the class's, in lower case with underscores."""

    about: ClassVar[str]  # what the statistic is, in one sentence
    least: ClassVar[float]  # the smallest statistic that can ever be suspicious, whatever clean pages look like
    power: ClassVar[float] = 1.0  # of the statistic on the scale that all share: above 1 what is usual stays small

    @property
    def name(self) -> str:
        return "".join(f"_{c.lower()}" if c.isupper() else c for c in type(self).__name__).lstrip("_")

    @abstractmethod
    def measure(self, page: Examined) -> Measured:
        """The statistic of one page."""


def suspicion(statistic: float, usual: float, threshold: float, power: float = 1.0) -> float:
    """0 up to what is usual on clean pages, one half at the threshold, towards 1 beyond it."""
    if statistic <= usual:
        return 0.0
    start = usual**power
    beyond = statistic**power - start
    # The brackets make it one half to the last bit at the threshold: x / (x + x).
    return beyond / (beyond + (threshold**power - start)) if beyond > 0 else 0.0
