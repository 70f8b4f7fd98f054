"""The layered filter: a page is flagged when one detector exceeds its threshold. The score is not affected."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from steelyard.detectors import BY_NAME, DETECTORS
from steelyard.detectors.base import AT_THRESHOLD, Measurement, PageWords, cut_pieces, suspicion
from steelyard.detectors.false_positives import find_rate
from steelyard.text.document import Document
from steelyard.text.lines import Span


@dataclass(frozen=True, slots=True)
class Signal:
    """The result of one detector: its statistic, its threshold, and the two as a suspicion from 0 to 1."""

    detector: str
    suspicion: float
    statistic: float
    threshold: float
    flagged: bool
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class FlaggedSpan:
    """A place in the file that a detector points at."""

    detector: str
    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class ManipulationReport:
    """Whether a page looks manipulated. The suspicion is the highest of all detectors; above 0.5 the page is flagged.

    `false_positive_rate` is the share of honest pages of this page's length that are flagged: whole pages that took no
    part in setting the limits, `false_positive_pages` of them, with its 95% interval over pages; None for an edition
    whose rate was not counted yet. `length` names the class of length. `honest_kinds` are the kinds of honest pages
    that look like what a detector looks for; `evades` lists what the detectors are known to miss.
    """

    suspicion: float
    threshold: float
    flagged: bool
    signals: Mapping[str, Signal]
    evidence: tuple[FlaggedSpan, ...]
    false_positive_rate: float | None
    evades: tuple[str, ...]
    false_positive_interval: tuple[float, float] = (0.0, 1.0)
    honest_kinds: tuple[str, ...] = ()
    false_positive_pages: int = 0
    length: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the report as `manipulation` in the JSON of a page."""
        return {
            **{key: getattr(self, key) for key in ("suspicion", "threshold", "flagged", "false_positive_rate")},
            "false_positive_interval": list(self.false_positive_interval),
            "false_positive_pages": self.false_positive_pages,
            "length": self.length,
            "honest_kinds": list(self.honest_kinds),
            "signals": {
                name: {key: value for key, value in asdict(signal).items() if key != "detector"}
                for name, signal in self.signals.items()
            },
            "evidence": [asdict(place) for place in self.evidence],
        }


@cache
def load_thresholds(edition: str = "paper") -> dict[str, Any]:
    """Load an edition's frozen thresholds, with the rate on cut pages of origins that were left out of the fit."""
    folder = resources.files("steelyard.detectors").joinpath("thresholds")
    return tomllib.loads(folder.joinpath(f"{edition}.toml").read_text("utf-8"))


def measure_page(doc: Document) -> dict[str, Measurement]:
    """Measure every detector's statistic, before any threshold is applied; of a long page that of the worst piece."""
    first, *others = cut_pieces(len(doc.text))
    worst = _measure_piece(doc, first)
    for piece in others:
        for name, measured in _measure_piece(doc, piece).items():
            if measured.statistic > worst[name].statistic:
                worst[name] = measured
    return worst


def _measure_piece(doc: Document, piece: Span) -> dict[str, Measurement]:
    page = PageWords(doc, piece)
    return {detector.name: detector.measure(page).move(page.offset) for detector in DETECTORS}


class FileMeasurement(NamedTuple):
    """A detector's statistic and its parts, with its places in the file: start, end and line."""

    statistic: float
    parts: Mapping[str, float]
    places: Sequence[tuple[int, int, int]]


def detect_manipulation(doc: Document) -> ManipulationReport:
    """Run all detectors on one document."""

    def locate(measurement: Measurement) -> FileMeasurement:
        source = doc.source
        spans = [source.view_to_file(*span) for span in measurement.spans]
        spans += [source.to_file(*span) for span in measurement.in_source]
        places = [(start, end, source.line(start)) for start, end in spans]
        return FileMeasurement(measurement.statistic, measurement.parts, places)

    return judge(
        {name: locate(measured) for name, measured in measure_page(doc).items()}, doc.language.edition, doc.n_words
    )


def judge(measured: Mapping[str, FileMeasurement], edition: str, words: int) -> ManipulationReport:
    """Compare the detectors' statistics with an edition's thresholds; `words` is the length of the page."""
    frozen = load_thresholds(edition)
    expected = find_rate(edition, words)
    signals: dict[str, Signal] = {}
    evidence: list[FlaggedSpan] = []
    for name, (statistic, parts, places) in measured.items():
        threshold = frozen["thresholds"][name]
        level = suspicion(statistic, frozen["usual"][name], threshold, BY_NAME[name].exponent)
        signals[name] = Signal(name, level, statistic, threshold, statistic > threshold, parts)
        if signals[name].flagged:
            evidence += [FlaggedSpan(name, *place) for place in places]
    return ManipulationReport(
        suspicion=max(s.suspicion for s in signals.values()),
        threshold=AT_THRESHOLD,
        flagged=any(s.flagged for s in signals.values()),
        signals=signals,
        evidence=tuple(evidence),
        false_positive_rate=expected.rate,
        evades=tuple(frozen["evades"]),
        false_positive_interval=expected.interval,
        honest_kinds=tuple(frozen["honest_kinds"]),
        false_positive_pages=expected.pages,
        length=expected.length,
    )
