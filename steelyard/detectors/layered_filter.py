"""The layered filter: flagged when one detector passes its threshold. A decision, never a part of the score."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from steelyard.detectors.base import AT_THRESHOLD, Measured, suspicion
from steelyard.detectors.inspected import Examined
from steelyard.detectors.registry import BY_NAME, DETECTORS
from steelyard.text.document import Document


@dataclass(frozen=True, slots=True)
class Signal:
    """What one detector found: its statistic against its threshold, as a suspicion in [0, 1]."""

    detector: str
    suspicion: float
    statistic: float
    threshold: float
    flagged: bool
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class FlaggedSpan:
    """A place in the source that a detector points at."""

    detector: str
    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class ManipulationReport:
    """Whether a page looks manipulated. The suspicion is that of the most suspicious detector; 0.5 is its threshold.

    `evades` says what these detectors are known not to see.
    """

    suspicion: float
    threshold: float
    flagged: bool
    signals: Mapping[str, Signal]
    evidence: tuple[FlaggedSpan, ...]
    false_positive_rate: float
    evades: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as `manipulation` in the JSON of a page."""
        return {
            "suspicion": self.suspicion,
            "threshold": self.threshold,
            "flagged": self.flagged,
            "false_positive_rate": self.false_positive_rate,
            "signals": {
                name: {
                    "suspicion": s.suspicion,
                    "statistic": s.statistic,
                    "threshold": s.threshold,
                    "flagged": s.flagged,
                    "parts": dict(s.parts),
                }
                for name, s in self.signals.items()
            },
            "evidence": [
                {"detector": e.detector, "start": e.start, "end": e.end, "line": e.line} for e in self.evidence
            ],
        }


@cache
def settings() -> dict[str, Any]:
    """The frozen thresholds, and the pages and the rate they were set at."""
    data = resources.files("steelyard.detectors").joinpath("thresholds.toml").read_text("utf-8")
    return tomllib.loads(data)


def measure(doc: Document) -> dict[str, Measured]:
    """Every detector's statistic, before any threshold."""
    page = Examined(doc)
    return {detector.name: detector.measure(page) for detector in DETECTORS}


def examine(doc: Document) -> ManipulationReport:
    """All detectors on one document."""
    frozen = settings()
    thresholds: Mapping[str, float] = frozen["thresholds"]
    usual: Mapping[str, float] = frozen["usual"]
    signals: dict[str, Signal] = {}
    evidence: list[FlaggedSpan] = []
    for name, found in measure(doc).items():
        threshold = thresholds[name]
        flagged = found.statistic > threshold
        doubt = suspicion(found.statistic, usual[name], threshold, BY_NAME[name].power)
        signals[name] = Signal(name, doubt, found.statistic, threshold, flagged, found.parts)
        if flagged:
            places = [*(doc.structure.view.source_span(*span) for span in found.spans), *found.in_source]
            evidence += [FlaggedSpan(name, start, end, doc.line_at(start)) for start, end in places]
    highest = max(s.suspicion for s in signals.values())
    return ManipulationReport(
        suspicion=highest,
        threshold=AT_THRESHOLD,
        flagged=any(s.flagged for s in signals.values()),
        signals=signals,
        evidence=tuple(evidence),
        false_positive_rate=frozen["rate"],
        evades=tuple(frozen["evades"]),
    )
