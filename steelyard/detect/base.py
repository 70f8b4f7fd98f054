"""The Detector contract: one statistic with the places it was found at; a threshold turns it into a suspicion."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from steelyard.detect.page import Examined

AT_THRESHOLD = 0.5


@dataclass(frozen=True, slots=True)
class Measured:
    """A detector's statistic, 0 or more, what it was made of, and where in the reading text."""

    statistic: float
    parts: Mapping[str, float] = field(default_factory=dict)
    spans: tuple[tuple[int, int], ...] = ()


class Detector(ABC):
    """One kind of manipulation. The name is the class's, in lower case with underscores."""

    about: ClassVar[str]  # what the statistic is, in one sentence
    least: ClassVar[float]  # the smallest statistic that can ever be suspicious, whatever clean pages look like

    @property
    def name(self) -> str:
        return "".join(f"_{c.lower()}" if c.isupper() else c for c in type(self).__name__).lstrip("_")

    @abstractmethod
    def measure(self, page: Examined) -> Measured:
        """The statistic of one page."""


def suspicion(statistic: float, usual: float, threshold: float) -> float:
    """0 up to what is usual on clean pages, one half at the threshold, towards 1 beyond it."""
    beyond = statistic - usual
    # The brackets make it one half to the last bit at the threshold: x / (x + x).
    return beyond / (beyond + (threshold - usual)) if beyond > 0 else 0.0
