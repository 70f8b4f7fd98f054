"""One page's outcome: a score with its moves, or an error; small enough to send between processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any

from steelyard.base.errors import MissingExtra, PageUnreadable
from steelyard.components.base import Evidence
from steelyard.score.page import PageScore, score_page, scoring
from steelyard.score.transform import g
from steelyard.score.weighting import Weighting
from steelyard.score.whatif import Move, moves
from steelyard.sources.page import PageRef, read

if TYPE_CHECKING:
    from steelyard.detect.layers import ManipulationReport


@dataclass(frozen=True, slots=True)
class Settings:
    """How pages are scored, the same for all of them."""

    as_of: date
    weights: Weighting
    language: str = "auto"
    title: str | None = None
    max_bytes: int = 20_000_000
    keep_text: bool = False
    detect: bool = False


@dataclass(frozen=True, slots=True)
class Scored:
    """A page's score, the changes worth most, and the text that the evidence points into when it was asked for."""

    source: str
    page: PageScore
    moves: tuple[Move, ...]
    extracted: bool
    text: str | None = None
    url: str | None = None
    manipulation: ManipulationReport | None = None

    @property
    def flagged(self) -> list[str]:
        """The detectors that flag the page; none when none was asked."""
        return [name for name, s in self.manipulation.signals.items() if s.flagged] if self.manipulation else []


@dataclass(frozen=True, slots=True)
class Unscored:
    """A page that could not be read or scored, and why."""

    source: str
    error: str

    @property
    def message(self) -> str:
        """The error with its page's name, once."""
        return self.error if self.source in self.error else f"{self.source}: {self.error}"


Result = Scored | Unscored


def score_ref(ref: PageRef, settings: Settings) -> Result:
    """Read and score one page; what the page did wrong becomes an Unscored."""
    try:
        page = read(ref, settings.max_bytes)
        title = settings.title if settings.title is not None else page.title
        scored = score_page(
            page.text,
            as_of=settings.as_of,
            title=title,
            language=settings.language,
            weights=settings.weights,
            dates=page.dates,
        )
        best = tuple(moves(scored))
        found = _examined(scored) if settings.detect else None
    except (PageUnreadable, MissingExtra) as error:
        return Unscored(ref.source, str(error))
    except Exception as error:  # noqa: BLE001 - a fault of ours on one page must not cost the others
        fault = f"{type(error).__name__}: {error}"
        return Unscored(ref.source, f"{ref.source}: scoring failed ({fault}); this is a bug, please report the page")
    text = page.text if settings.keep_text else None
    return Scored(ref.source, replace(scored, document=None), best, page.extracted, text, ref.url, found)


def _examined(page: PageScore) -> ManipulationReport | None:
    """What the detectors find in the document that was scored: one reading of the page serves both."""
    from steelyard.detect.layers import examine  # only for those who ask

    return examine(page.document) if page.document is not None else None


def record(result: Scored, *, with_text: bool = False) -> dict[str, Any]:
    """The page as `steelyard score --format json` gives it; floats as they are."""
    page = result.page
    components = {}
    for name, reading in page.readings.items():
        components[name] = {
            "value": reading.value,
            "transformed": g(reading.value),
            "weight": page.weights[name],
            "points": page.contributions[name],
            "degenerate": reading.degenerate,
            "parts": _plain(reading.parts),
            "evidence": [_evidence(e) for e in reading.evidence],
        }
    entry: dict[str, Any] = {
        "source": result.source,
        "language": page.language,
        "detected_language": page.detected,
        "title": page.title,
        "words": page.words,
        "score": page.score,
        "content": page.content,
        "freshness": page.freshness,
        "freshness_terms": dict(page.fresh.terms),
        "freshness_evidence": [_evidence(e) for e in page.fresh.evidence],
        "cap": page.cap,
        "guard": page.guard,
        "guard_reason": page.guard_reason,
        "unvalidated": {"naturalness": page.beside.naturalness, "brand_trust": page.beside.brand_trust},
        "offsets": "extracted" if result.extracted else "source",
        "components": components,
        "moves": [{"component": m.component, "action": m.action, "gain": m.gain, "line": m.line} for m in result.moves],
    }
    if result.url is not None:
        entry["url"] = result.url
    if with_text:
        entry["text"] = result.text
    if result.manipulation is not None:
        entry["manipulation"] = _manipulation(result.manipulation)
    return entry


def _manipulation(found: ManipulationReport) -> dict[str, Any]:
    """Beside the score, never in it."""
    return {
        "suspicion": found.suspicion,
        "threshold": found.threshold,
        "flagged": found.flagged,
        "false_positive_rate": found.false_positive_rate,
        "signals": {
            name: {
                "suspicion": s.suspicion,
                "statistic": s.statistic,
                "threshold": s.threshold,
                "flagged": s.flagged,
                "parts": dict(s.parts),
            }
            for name, s in found.signals.items()
        },
        "evidence": [{"detector": e.detector, "start": e.start, "end": e.end, "line": e.line} for e in found.evidence],
    }


def stamp(settings: Settings) -> dict[str, str]:
    """What every result depends on besides the page: weighting, scoring hash and date."""
    how = scoring(settings.weights)
    return {"weights": how.weights, "hash": how.hash, "as_of": settings.as_of.isoformat()}


def _evidence(e: Evidence) -> dict[str, Any]:
    return {"start": e.start, "end": e.end, "line": e.line, "pattern": e.pattern}


def _plain(parts: Mapping[str, Any]) -> dict[str, Any]:
    return {k: list(v) if isinstance(v, tuple) else v for k, v in parts.items()}
