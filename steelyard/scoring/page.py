"""A page's score: eleven readings, transformed and weighted, blended with freshness, then capped or guarded."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

from steelyard import languages
from steelyard.components import COMPONENTS
from steelyard.components.base import Reading
from steelyard.scoring import reference
from steelyard.scoring.caps import cap_for_length, cap_for_prose, describe_hold, describe_lift
from steelyard.scoring.editions import Edition
from steelyard.scoring.freshness import Freshness, measure_freshness
from steelyard.scoring.guards import Guard, find_guard
from steelyard.scoring.reference import Placement
from steelyard.scoring.unvalidated import NOT_MEASURED, Unvalidated, brand_trust, naturalness
from steelyard.scoring.weighting import Weighting
from steelyard.text.document import Document
from steelyard.text.prose import Prose

CONTENT_SHARE = 0.92
FRESHNESS_SHARE = 0.08
# The version of the formulas in components/ and scoring/: raised whenever one of them changes a number.
FORMULAS = 2
MISSING = 50.0  # stands for a value that an external record does not have


@dataclass(frozen=True, slots=True)
class Scoring:
    """What a page's numbers depend on besides the page and the date.

    `hash` covers the version of the formulas, the weighting, the data of the page's language and, for a page that
    was extracted from HTML, the extractor.
    """

    edition: str
    weights: str
    weights_hash: str
    language_hash: str
    formulas: int
    hash: str


@dataclass(frozen=True, slots=True)
class PageScore:
    """The score of a page, with everything needed to recompute it by hand."""

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
    placement: Placement | None = None  # of the content among comparable reference pages
    prose: Prose | None = None  # how much running text it has, where the edition asks for it

    @property
    def blended(self) -> float:
        """Content and freshness blended, before cap and guard."""
        return blend(self.content, self.freshness)

    @property
    def held(self) -> str:
        """Which score the page would have and what holds it down; empty where no cap does."""
        return "" if self.guard else describe_hold(self.blended, self.cap, self.prose)

    @property
    def lift(self) -> str:
        """How much more text would lift the cap that holds the score; empty where none does."""
        return "" if self.guard else describe_lift(self.blended, self.cap, self.words, self.prose)

    @property
    def rating(self) -> str | None:
        """Whether the content is good, fair or poor: a third of comparable pages each; None where there are none."""
        return self.placement.rate(self.content) if self.placement and not self.guard else None

    @property
    def meaning(self) -> str:
        """What the content score means, in one sentence; empty where a guard fixes the score."""
        if self.guard:
            return ""
        placed = self.placement
        if placed is None:
            return reference.explain_absence(self.scoring.edition, self.language, self.words)
        fair, good = f"{placed.fair_from:.1f}", f"{placed.good_from:.1f}"
        bounds = f"fair, the middle third, begins at {fair}; good, the upper third, at {good}"
        return f"{self.rating}: its content scores {self.content:.1f}, {placed.describe()} ({bounds})"

    def to_row(self) -> dict[str, Any]:
        """Return the score as one flat row for a table or a DataFrame: scalars only, one column per component."""
        columns = ("language", "title", "words", "score", "content", "freshness", "cap", "guard")
        return {
            **{column: getattr(self, column) for column in columns},
            "percentile": 100 * self.placement.share if self.placement else None,
            "rating": self.rating,
            **{name: reading.value for name, reading in self.readings.items()},
            "edition": self.scoring.edition,
            "weights": self.scoring.weights,
            "hash": self.scoring.hash,
            "as_of": self.as_of.isoformat(),
        }


def transform(value: float) -> float:
    """Return g(u) = 100 sqrt(u / 100): the closer a component is to its ceiling, the less another point of it pays."""
    return 100.0 * math.sqrt(value / 100.0)


def blend(content: float, fresh: float) -> float:
    """Return 0.92 content + 0.08 F."""
    return CONTENT_SHARE * content + FRESHNESS_SHARE * fresh


def final_score(content: float, fresh: float, cap: float | None, guard: Guard | None = None) -> float:
    """Take the last three steps: blend content and freshness, apply the cap, let a guard replace the result."""
    if guard is not None:
        return guard.score
    return min(100.0 if cap is None else cap, blend(content, fresh))


def contributions(values: Mapping[str, float | None], weights: Mapping[str, float]) -> dict[str, float]:
    """Return w_i g(f_i) per component, in the paper's order; they sum to the content score.

    A value that an external record does not have counts as 50 before the transform.
    """
    known = {name: values.get(name) for name in weights}
    return {name: weights[name] * transform(MISSING if value is None else value) for name, value in known.items()}


@cache
def describe_scoring(
    weighting: str, weights_hash: str, edition: Edition, language: str, extractor: str = ""
) -> Scoring:
    """Return what a score in this language depends on, by name and hash."""
    language_hash = languages.digest(language, edition.name)
    parts = (str(FORMULAS), *edition.choices(), weights_hash, language_hash, extractor)
    total = hashlib.sha256("\n".join(parts).encode()).hexdigest()
    return Scoring(edition.name, weighting, weights_hash, language_hash, FORMULAS, total[:16])


def score_document(
    doc: Document,
    detected: str,
    as_of: date,
    weights: Weighting,
    dates: Iterable[date],
    *,
    edition: Edition,
    extractor: str,
    evidence: bool,
) -> PageScore:
    """Score a document.

    Args:
        doc: The page in its language.
        detected: The language the text seems to be in; without word lists for it most guards are not checked.
        as_of: The date to which ages are counted. It is required, because scoring never reads the clock.
        weights: The weight of each component.
        dates: Dates from the metadata of an HTML page.
        edition: Which decides about caps and dates, and has read the document.
        extractor: The program that extracted the text from HTML, with its version.
        evidence: Whether to locate evidence; without it scoring is faster.
    """
    readings = {c.name: c.read(doc, evidence=evidence) for c in COMPONENTS}
    points = contributions({n: r.value for n, r in readings.items()}, weights.weights)
    content = min(100.0, math.fsum(points.values()))  # the weights' last bit must not lift it over 100
    fresh = measure_freshness(doc, as_of, dates=dates, one_sided=edition.dates == "one-sided", evidence=evidence)
    prose = doc.prose if edition.caps == "running text" else None
    limit = cap_for_length(doc.n_words) if prose is None else cap_for_prose(prose)
    guard = find_guard(doc, supported=detected in edition.languages)
    return PageScore(
        score=final_score(content, fresh.value, limit, guard),
        content=content,
        freshness=fresh.value,
        words=doc.n_words,
        cap=limit,
        guard=guard.name if guard else None,
        guard_reason=guard.reason if guard else None,
        readings=readings,
        contributions=points,
        weights=weights.weights,
        language=doc.language.code,
        detected=detected,
        title=doc.title,
        as_of=as_of,
        scoring=describe_scoring(weights.name, weights.digest, edition, doc.language.code, extractor),
        fresh=fresh,
        unvalidated=Unvalidated(naturalness(doc), brand_trust(doc)) if evidence else NOT_MEASURED,
        placement=reference.place(edition.name, doc.language.code, content, doc.n_words),
        prose=prose,
    )
