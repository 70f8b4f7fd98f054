"""What a component is: `count` finds, `value` computes, and nothing else does either."""

from __future__ import annotations

import math
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from steelyard.text.document import Document, Match

Parts = Mapping[str, Any]  # numbers, lists of numbers, or None where a quantity is undefined
DECIMALS = 9


class Found(NamedTuple):
    """A span of the reading text that earned or cost points, and the id of what found it."""

    pattern: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """A half-open span of the source, its line (from 1), and the id of the pattern that matched there."""

    start: int
    end: int
    line: int
    pattern: str


@dataclass(frozen=True, slots=True)
class Counted:
    """The quantities of the formula under the paper's symbols, and where they were found."""

    parts: Parts
    found: Sequence[Found | Evidence] = ()


class Degenerate(NamedTuple):
    """A condition under which the documented constant is returned."""

    reason: str
    holds: Callable[[Document], bool]
    value: float


@dataclass(frozen=True, slots=True)
class Reading:
    """One component's value on one page, with everything it was made of."""

    component: str
    value: float
    degenerate: str | None = None
    parts: Parts = field(default_factory=dict)
    evidence: tuple[Evidence, ...] = ()

    def __post_init__(self) -> None:
        if not (math.isfinite(self.value) and 0.0 <= self.value <= 100.0):
            raise ValueError(f"{self.component}: {self.value!r} is not a value in [0, 100]")
        object.__setattr__(self, "value", round(self.value, DECIMALS))


class Component(ABC):
    """One component; its class is its file, its name and its column in every artifact."""

    name: ClassVar[str]
    spec: ClassVar[str]
    formula: ClassVar[str]
    symbols: ClassVar[tuple[str, ...]]
    degenerate: ClassVar[tuple[Degenerate, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()

    @property
    def about(self) -> str:
        """What it measures, from the first line of its file."""
        return (sys.modules[type(self).__module__].__doc__ or "").split("\n", maxsplit=1)[0].partition(": ")[2]

    @abstractmethod
    def count(self, doc: Document) -> Counted:
        """The integers and spans of the formula; must not fail on any text."""

    @abstractmethod
    def value(self, parts: Parts) -> float:
        """The paper's formula, from the parts alone."""

    def evidence(self, doc: Document, counted: Counted) -> Iterable[Found | Evidence]:
        """The spans to show; more than was counted where that helps a reader."""
        return counted.found

    def read(self, doc: Document, *, evidence: bool = True) -> Reading:
        """The reading; the ordered table of degenerate cases is looked at first."""
        counted = self.count(doc)
        reason, value = self._constant(doc)
        if reason is None:
            value = self.value(counted.parts)
        spans = located(doc, self.evidence(doc, counted)) if evidence else ()
        return Reading(self.name, value, reason, counted.parts, spans)

    def _constant(self, doc: Document) -> tuple[str | None, float]:
        for case in self.degenerate:
            if case.holds(doc):
                return case.reason, case.value
        return None, 0.0


def located(doc: Document, found: Iterable[Found | Evidence]) -> tuple[Evidence, ...]:
    """Spans of the reading text turned into spans and lines of the source, sorted; evidence stays as it is."""
    view = doc.structure.view
    result = []
    for item in found:
        if isinstance(item, Evidence):
            result.append(item)
            continue
        first, last = view.source_span(item.start, item.end)
        result.append(Evidence(first, last, doc.line_at(first), item.pattern))
    return tuple(sorted(result, key=lambda e: (e.start, e.end, e.pattern)))


def identified(doc: Document, matches: Iterable[Match]) -> list[Found]:
    """Matches with their pattern's id in place of its number."""
    return [Found(doc.pattern_id(m), m.start, m.end) for m in matches]


def longest(matches: Iterable[Match]) -> list[Match]:
    """The longest matches that do not overlap, ties to the first, in text order."""
    ordered = sorted(matches, key=lambda m: (m.start - m.end, m.start, m.pattern))
    if len(ordered) < 2:
        return ordered
    taken = bytearray(max(m.end for m in ordered))
    kept = []
    for match in ordered:
        if not any(taken[match.start : match.end]):
            taken[match.start : match.end] = b"\x01" * (match.end - match.start)
            kept.append(match)
    return sorted(kept, key=lambda m: m.start)


def distinct(doc: Document, matches: Iterable[Match]) -> list[Match]:
    """The first of every group of matches with the same words."""
    first: dict[str, Match] = {}
    for match in matches:
        first.setdefault(doc.words_of(match), match)
    return list(first.values())
