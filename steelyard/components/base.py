"""The parts of a component: `count` finds quantities in a page, `value` computes the score from them."""

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


class TextSpan(NamedTuple):
    """A span of the reading text that raised or lowered a component, and the id and family of what matched there."""

    pattern: str
    start: int
    end: int
    family: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A half-open span of the file, its line (from 1), and the id and family of what matched there.

    The family says what kind of evidence it is: quotation, definition, enumeration, statistic, citation, entity, …
    """

    start: int
    end: int
    line: int
    pattern: str
    family: str = ""


AnySpan = Match | TextSpan | Evidence  # a match means its span, under the id of its pattern


@dataclass(frozen=True, slots=True)
class Counts:
    """The quantities of a formula under the paper's symbols, and the spans they were counted from."""

    parts: Parts
    spans: Sequence[AnySpan] = ()


class DegenerateCase(NamedTuple):
    """A condition under which a component has a fixed value instead of its formula's."""

    reason: str
    holds: Callable[[Document], bool]
    value: float


@dataclass(frozen=True, slots=True)
class Reading:
    """One component's value on one page, and everything it was computed from."""

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
    """One component of the score.

    The class name gives the file, the released name and the column in every artifact. `label` says in a few plain
    words what the component rewards; it is shown next to the name.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    spec: ClassVar[str]
    formula: ClassVar[str]
    symbols: ClassVar[tuple[str, ...]]
    degenerate: ClassVar[tuple[DegenerateCase, ...]] = ()

    def __init_subclass__(cls) -> None:
        if not hasattr(cls, "label"):
            raise TypeError(f"{cls.__name__} needs a `label`: a few plain words that are shown beside its name")
        cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()

    @property
    def about(self) -> str:
        """What the component measures: the first line of its file, without the name."""
        return (sys.modules[type(self).__module__].__doc__ or "").split("\n", maxsplit=1)[0].partition(": ")[2]

    @abstractmethod
    def count(self, doc: Document) -> Counts:
        """Count what the formula needs; must not fail on any text."""

    @abstractmethod
    def value(self, parts: Parts) -> float:
        """Compute the paper's formula from the parts alone."""

    def evidence(self, doc: Document, counts: Counts) -> Iterable[AnySpan]:
        """Return the spans to show, which may be more than were counted."""
        return counts.spans

    def read(self, doc: Document, *, evidence: bool = True) -> Reading:
        """Read the component on a page; the first degenerate case that holds decides the value."""
        counts = self.count(doc)
        case = next((case for case in self.degenerate if case.holds(doc)), None)
        value = case.value if case else self.value(counts.parts)
        spans = locate_evidence(doc, self.evidence(doc, counts)) if evidence else ()
        return Reading(self.name, value, case.reason if case else None, counts.parts, spans)


def locate_evidence(doc: Document, spans: Iterable[AnySpan]) -> tuple[Evidence, ...]:
    """Turn matches and spans of the reading text into sorted evidence in the file; evidence stays as it is."""
    evidence = []
    source = doc.source
    for span in spans:
        if isinstance(span, Evidence):
            evidence.append(span)
        else:
            start, end = source.view_to_file(span.start, span.end)
            if isinstance(span, Match):
                evidence.append(Evidence(start, end, source.line(start), doc.pattern_id(span), doc.family_of(span)))
            else:
                evidence.append(Evidence(start, end, source.line(start), span.pattern, span.family))
    return tuple(sorted(evidence, key=lambda e: (e.start, e.end, e.pattern)))


def select_longest(matches: Iterable[Match]) -> list[Match]:
    """Select the longest matches that do not overlap, in text order; the first wins a tie."""
    ordered = sorted(matches, key=lambda m: (m.start - m.end, m.start, m.pattern))
    if len(ordered) < 2:
        return ordered
    occupied = bytearray(max(m.end for m in ordered))
    longest = []
    for match in ordered:
        if not any(occupied[match.start : match.end]):
            occupied[match.start : match.end] = b"\x01" * (match.end - match.start)
            longest.append(match)
    return sorted(longest, key=lambda m: m.start)


def select_distinct(doc: Document, matches: Iterable[Match]) -> list[Match]:
    """Select the first of every group of matches with the same words."""
    first: dict[str, Match] = {}
    for match in matches:
        first.setdefault(doc.matched_text(match), match)
    return list(first.values())
