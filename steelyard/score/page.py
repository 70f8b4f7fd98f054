"""A page's score: eleven readings, the weighted transform, the freshness blend, the cap, the guard."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from steelyard.base.errors import UnknownName, UnsupportedLanguage
from steelyard.components import COMPONENTS
from steelyard.components.base import Reading
from steelyard.packs import pack
from steelyard.score import weighting
from steelyard.score.beside import NOT_MEASURED, Beside, beside
from steelyard.score.freshness import Freshness, freshness
from steelyard.score.guards import Guard, cap, guard
from steelyard.score.transform import MISSING, g
from steelyard.score.weighting import Weighting
from steelyard.text import language as languages
from steelyard.text.document import Document, Source

CONTENT_SHARE = 0.92
FRESHNESS_SHARE = 0.08


@dataclass(frozen=True, slots=True)
class Scoring:
    """What the numbers depend on besides the page: the weighting and the packs, by name and hash."""

    weights: str
    hash: str


@dataclass(frozen=True, slots=True)
class PageScore:
    """Everything needed to recompute the score by hand."""

    score: float
    content: float
    freshness: float
    words: int
    cap: float | None
    guard: str | None
    guard_reason: str | None
    readings: Mapping[str, Reading]
    contributions: Mapping[str, float]
    weights: Mapping[str, float]
    language: str
    detected: str
    title: str | None
    as_of: date
    scoring: Scoring
    fresh: Freshness
    beside: Beside
    document: Document | None = None

    @property
    def blended(self) -> float:
        """Content and freshness together, before cap and guard."""
        return blend(self.content, self.freshness)


def blend(content: float, fresh: float) -> float:
    """0.92 content + 0.08 F."""
    return CONTENT_SHARE * content + FRESHNESS_SHARE * fresh


def final(content: float, fresh: float, limit: float | None, guarded: Guard | None) -> float:
    """The last three steps: blend, cap, guard."""
    if guarded is not None:
        return guarded.score
    blended = blend(content, fresh)
    return min(100.0 if limit is None else limit, blended)


def contributions(values: Mapping[str, float | None], weights: Mapping[str, float]) -> dict[str, float]:
    """w_i g(f_i) per component, in the paper's order; they sum to the content score.

    A value missing from an outside record counts as 50 before the transform.
    """
    known = {name: values.get(name) for name in weights}
    return {name: weights[name] * g(MISSING if value is None else value) for name, value in known.items()}


def scoring(weights: Weighting) -> Scoring:
    """Name and hash of the weighting and of both packs."""
    total = hashlib.sha256(weights.digest.encode())
    for code in pack.LANGUAGES:
        total.update(pack.digest(code).encode())
    return Scoring(weights.name, total.hexdigest()[:16])


def chosen_language(source: Source, asked: str) -> tuple[str, str]:
    """(language whose pack is used, language detected); refuses an unsupported one unless asked."""
    detected = languages.detect(source.structure.view.text, source.word_counts)
    if asked == "auto":
        if detected not in languages.SUPPORTED:
            raise UnsupportedLanguage(detected, languages.SUPPORTED)
        return detected, detected
    if asked not in languages.SUPPORTED:
        raise UnknownName("language", asked, ("auto", *languages.SUPPORTED))
    return asked, detected


def score_page(
    text: str,
    *,
    as_of: date,
    title: str | None = None,
    language: str = "auto",
    weights: Weighting | None = None,
    dates: Iterable[date] = (),
    evidence: bool = True,
) -> PageScore:
    """Score one decoded text. `as_of` is required: nothing in here reads a clock."""
    source = Source(text)
    used, detected = chosen_language(source, language)
    weights = weights or weighting.load("shipped")
    heading = title if title is not None else source.matter.get("title") or source.first_heading()
    doc = Document(source, pack.load(used), heading or None)
    readings = {c.name: c.read(doc, evidence=evidence) for c in COMPONENTS}
    points = contributions({n: r.value for n, r in readings.items()}, weights.weights)
    content = min(100.0, math.fsum(points.values()))  # the weights' last bit must not lift it over 100
    fresh = freshness(doc, as_of, dates=dates, evidence=evidence)
    limit = cap(doc.n_words)
    guarded = guard(doc, supported=detected in languages.SUPPORTED)
    return PageScore(
        score=final(content, fresh.value, limit, guarded),
        content=content,
        freshness=fresh.value,
        words=doc.n_words,
        cap=limit,
        guard=guarded.name if guarded else None,
        guard_reason=guarded.reason if guarded else None,
        readings=readings,
        contributions=points,
        weights=weights.weights,
        language=used,
        detected=detected,
        title=heading or None,
        as_of=as_of,
        scoring=_cached_scoring(weights),
        fresh=fresh,
        beside=beside(doc) if evidence else NOT_MEASURED,
        document=doc if evidence else None,
    )


_SCORINGS: dict[str, Scoring] = {}


def _cached_scoring(weights: Weighting) -> Scoring:
    key = weights.name + weights.digest
    if key not in _SCORINGS:
        _SCORINGS[key] = scoring(weights)
    return _SCORINGS[key]
