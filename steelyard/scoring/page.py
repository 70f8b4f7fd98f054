"""A page's score: eleven readings, the weighted transform, the freshness blend, the cap, the guard."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache

from steelyard import languages
from steelyard.components import COMPONENTS
from steelyard.components.base import Reading
from steelyard.scoring.freshness import Freshness, freshness
from steelyard.scoring.guards import Guard, cap, guard
from steelyard.scoring.transform import MISSING, g
from steelyard.scoring.unvalidated import NOT_MEASURED, Unvalidated, unvalidated
from steelyard.scoring.weighting import Weighting
from steelyard.text.document import Document

CONTENT_SHARE = 0.92
FRESHNESS_SHARE = 0.08


# The version of the formulas in components/ and scoring/: raised whenever one of them changes a number.
FORMULAS = 1


@dataclass(frozen=True, slots=True)
class Scoring:
    """What a page's numbers depend on besides the page and the date.

    `hash` covers the version of the formulas, the weighting, the data of the page's language and, for a page that
    was extracted from HTML, the extractor.
    """

    weights: str
    weights_hash: str
    language_hash: str
    formulas: int
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
    unvalidated: Unvalidated
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


@cache
def scoring(weights: str, weights_hash: str, language: str, extractor: str = "") -> Scoring:
    """Return what a score in this language depends on, by name and hash."""
    language_hash = languages.digest(language)
    total = hashlib.sha256("\n".join((str(FORMULAS), weights_hash, language_hash, extractor)).encode()).hexdigest()
    return Scoring(weights, weights_hash, language_hash, FORMULAS, total[:16])


def score_document(
    doc: Document,
    *,
    as_of: date,
    weights: Weighting,
    detected: str,
    dates: Iterable[date] = (),
    extractor: str = "",
    evidence: bool = True,
) -> PageScore:
    """Score a document. `as_of` is required: nothing in here reads a clock.

    `detected` is the language the text looks like, which decides whether the guards apply; `dates` and `extractor`
    are those of a page that was extracted from HTML.
    """
    readings = {c.name: c.read(doc, evidence=evidence) for c in COMPONENTS}
    points = contributions({n: r.value for n, r in readings.items()}, weights.weights)
    content = min(100.0, math.fsum(points.values()))  # the weights' last bit must not lift it over 100
    fresh = freshness(doc, as_of, dates=dates, evidence=evidence)
    limit = cap(doc.n_words)
    guarded = guard(doc, supported=detected in languages.CODES)
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
        language=doc.language.code,
        detected=detected,
        title=doc.title,
        as_of=as_of,
        scoring=scoring(weights.name, weights.digest, doc.language.code, extractor),
        fresh=fresh,
        unvalidated=unvalidated(doc) if evidence else NOT_MEASURED,
        document=doc if evidence else None,
    )
