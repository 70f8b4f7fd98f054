"""The native core's results as the Python code has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from steelyard.components import NAMES
from steelyard.components.base import Evidence, Reading
from steelyard.detectors.layered_filter import FileMeasurement, ManipulationReport, judge
from steelyard.scoring import reference
from steelyard.scoring.editions import Edition
from steelyard.scoring.freshness import TERMS, Freshness
from steelyard.scoring.guards import make_guard
from steelyard.scoring.page import PageScore, describe_scoring
from steelyard.scoring.unvalidated import NOT_MEASURED, Unvalidated
from steelyard.scoring.weighting import Weighting
from steelyard.text.prose import Prose
from steelyard.text.source import Source

_PLACES = {name: place for place, name in enumerate(NAMES)}
_TERMS = tuple(name for name, _ in TERMS)


def build_score(
    result: Any, as_of: date, weights: Weighting, edition: Edition, extractor: str, *, written: Source | None
) -> PageScore:
    """Return a page's score from the core's result, with evidence in the page as it was written."""
    score, content, words, cap, guarded, points, language, detected, title, fresh, unvalidated, prose = result.numbers()
    guard = make_guard(*guarded) if guarded else None
    value, terms, is_dated, evidence = fresh
    return PageScore(
        score=score,
        content=content,
        freshness=value,
        words=words,
        cap=cap,
        guard=guard.name if guard else None,
        guard_reason=guard.reason if guard else None,
        readings=Readings(result, written),
        contributions=dict(zip(NAMES, points, strict=True)),
        weights=weights.weights,
        language=language,
        detected=detected,
        title=title,
        as_of=as_of,
        scoring=describe_scoring(weights.name, weights.digest, edition, language, extractor),
        fresh=Freshness(value, dict(zip(_TERMS, terms, strict=True)), _build_evidence(evidence, written), is_dated),
        unvalidated=Unvalidated(*unvalidated) if unvalidated else NOT_MEASURED,
        placement=reference.place(edition.name, language, content, words),
        prose=Prose(*prose) if prose else None,
    )


class Readings(Mapping[str, Reading]):
    """The readings of a page by component, each built when it is asked for: many callers want the score alone."""

    __slots__ = ("_built", "_result", "_written")

    def __init__(self, result: Any, written: Source | None = None) -> None:
        self._result = result
        self._written = written
        self._built: dict[str, Reading] = {}

    def __getitem__(self, name: str) -> Reading:
        if name not in self._built:
            if name not in _PLACES:
                raise KeyError(name)
            value, degenerate, parts, evidence = self._result.reading(_PLACES[name])
            self._built[name] = Reading(name, value, degenerate, parts, _build_evidence(evidence, self._written))
        return self._built[name]

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)

    def __repr__(self) -> str:
        return repr(dict(self))

    def __reduce__(self) -> tuple[type[dict[str, Reading]], tuple[dict[str, Reading]]]:
        return dict, (dict(self),)  # the core's result stays in its process


def _build_evidence(rows: list[Any], written: Source | None) -> tuple[Evidence, ...]:
    if written is None:
        return tuple(Evidence(*row) for row in rows)
    return tuple(Evidence(*_locate(start, end, written), *pattern) for start, end, _, *pattern in rows)


def _locate(start: int, end: int, written: Source) -> tuple[int, int, int]:
    """Return a span of the page as it was written, with its line."""
    first, last = written.to_file(start, end)
    return first, last, written.line(first)


def build_report(result: Any, edition: Edition, words: int, written: Source | None = None) -> ManipulationReport:
    """Return the detectors' report from the core's result, with places in the page as it was written.

    `words` is the length of the page.
    """
    signals = {name: FileMeasurement(*measured) for name, *measured in result.signals()}
    if written is not None:
        signals = {
            name: located._replace(places=[_locate(start, end, written) for start, end, _ in located.places])
            for name, located in signals.items()
        }
    return judge(signals, edition.name, words)
