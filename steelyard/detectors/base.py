"""What a detector is: it measures one statistic, with the places behind it; a threshold turns it into a suspicion."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from steelyard.detectors.page_words import PageWords

AT_THRESHOLD = 0.5
MOST_PLACES = 20  # that a detector points at


@dataclass(frozen=True, slots=True)
class Measurement:
    """A detector's statistic (0 or more), the numbers behind it, and its places in the reading text or the source."""

    statistic: float
    parts: Mapping[str, float] = field(default_factory=dict)
    spans: tuple[tuple[int, int], ...] = ()
    in_source: tuple[tuple[int, int], ...] = ()  # hidden text has no place in the reading text


class Detector(ABC):
    """One kind of manipulation. Its name is that of the class, in lower case with underscores."""

    lowest_threshold: ClassVar[float]  # no threshold may be lower, whatever clean pages look like
    exponent: ClassVar[float] = 1.0  # applied before comparing detectors; above 1 it keeps usual values small

    @property
    def name(self) -> str:
        return "".join(f"_{c.lower()}" if c.isupper() else c for c in type(self).__name__).lstrip("_")

    @abstractmethod
    def measure(self, page: PageWords) -> Measurement:
        """Measure the statistic of one page."""


def suspicion(statistic: float, usual: float, threshold: float, exponent: float = 1.0) -> float:
    """Return 0 up to what is usual on clean pages, one half at the threshold, and more towards 1 beyond it."""
    if statistic <= usual:
        return 0.0
    start = usual**exponent
    beyond = statistic**exponent - start
    # The brackets make it one half to the last bit at the threshold: x / (x + x).
    return beyond / (beyond + (threshold**exponent - start)) if beyond > 0 else 0.0
