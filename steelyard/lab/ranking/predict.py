"""Which of these pages an engine would sooner cite for a query, by words and forms alone: nothing is fitted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from steelyard import languages
from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.ranking.dataset import Candidate
from steelyard.lab.ranking.features import FEATURES, compute_features
from steelyard.scoring import editions
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_signed
from steelyard.support.table import Column, Table
from steelyard.text.source import Source

SCHEMA_VERSION = 1  # of the record
BLENDED = "regex_blend"
SIGNALS = {f.name: f.reason for f in FEATURES if f.reason}
REASONS = 3
SHOWN = 2  # of them in a line
NOTICEABLE = 0.3  # standard deviations from the mean of the pages
_SAMPLE = 2_000  # characters of a page for detecting its language


@dataclass(frozen=True, slots=True)
class RankedPage:
    """A page with its place (from 1; equal pages share one), its score, its strengths and its weaknesses."""

    name: str
    place: int
    score: float
    strengths: tuple[str, ...]
    weaknesses: tuple[str, ...]
    features: Mapping[str, float]


def standardise(rows: Sequence[Mapping[str, float]], name: str) -> list[float]:
    """Return a signal in standard deviations from the mean of these candidates; all 0 if they do not differ."""
    values = [row[name] for row in rows]
    centre = mean(values)
    spread = math.sqrt(math.fsum((v - centre) ** 2 for v in values) / len(values))
    return [(v - centre) / spread if spread > 0 else 0.0 for v in values]


def blend_signals(rows: Sequence[Mapping[str, float]]) -> list[float]:
    """Return the mean of the standardised signals of every candidate."""
    columns = [standardise(rows, name) for name in SIGNALS] if rows else []
    return [mean(column) for column in zip(*columns, strict=True)]


def rank_pages(query: str, pages: Sequence[Candidate], scores: Sequence[float] | None = None) -> list[RankedPage]:
    """Return all pages, the likeliest first; pages with the same score share a place and keep their order.

    `scores` are a trained model's. The strengths and weaknesses come from the signals in any case.
    """
    if not pages:
        return []
    rows = compute_features(query, pages)
    scores = blend_signals(rows) if scores is None else scores
    deviations = {name: standardise(rows, name) for name in SIGNALS}
    places: dict[float, int] = {}
    ranked = []
    for place, i in enumerate(sorted(range(len(pages)), key=lambda i: -scores[i]), start=1):
        reasons = explain_score({name: deviations[name][i] for name in SIGNALS})
        ranked.append(RankedPage(pages[i].key, places.setdefault(scores[i], place), scores[i], *reasons, rows[i]))
    return ranked


def explain_score(deviations: Mapping[str, float]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the strongest reasons for and against a page, in words."""
    by_size = sorted(deviations, key=lambda name: (-abs(deviations[name]), name))
    strengths = tuple(SIGNALS[n] for n in by_size if deviations[n] > NOTICEABLE)[:REASONS]
    weaknesses = tuple(SIGNALS[n] for n in by_size if deviations[n] < -NOTICEABLE)[:REASONS]
    return strengths, weaknesses


def detect_main_language(pages: Sequence[Candidate]) -> str:
    """Return the language of most pages, or English if the ranker does not read that one."""
    sources = [Source(page.text[:_SAMPLE]) for page in pages]
    readable = editions.load(editions.PAPER).languages
    counts = Counter(languages.detect(s.structure.view.text, s.word_counts, readable) for s in sources)
    main = max(sorted(counts), key=lambda code: counts[code])
    return main if main in readable else "en"


def render_text(scope: str, query: str, ranked: Sequence[RankedPage]) -> str:
    """Return the scope of the claim, the query and a table of the pages."""
    rows = [[page.place, page.name, format_signed(page.score), _format_reasons(page)] for page in ranked]
    columns = [Column("place", right=True), Column("page"), Column("score", right=True), Column("why")]
    lines = [scope, f"query: {make_visible(query)}", "", *Table(columns, rows).to_terminal()]
    if len({p.score for p in ranked}) == 1 and len(ranked) > 1:
        lines.append("no page fits better than another: all have the same score")
    return "\n".join(lines)


def _format_reasons(page: RankedPage) -> str:
    """Name what a page has, or else what it is missing; the record holds both."""
    if page.strengths:
        return f"has {', '.join(page.strengths[:SHOWN])}"
    return f"missing {', '.join(page.weaknesses[:SHOWN])}" if page.weaknesses else "no clear difference"


def build_record(
    scope: str, query: str, ranked: Sequence[RankedPage], as_of: date, manifest: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return the JSON of `steelyard predict`; `manifest` is that of the trained model, if there is one."""
    described = ("model_sha256", "features_hash", "data")
    return {
        "schema_version": SCHEMA_VERSION,
        "scope": scope,
        "query": query,
        "as_of": as_of.isoformat(),
        "model": None if manifest is None else {key: manifest[key] for key in described},
        "pages": [
            {
                "place": p.place, "source": p.name, "score": p.score, "for": list(p.strengths),
                "against": list(p.weaknesses), "features": dict(p.features),
            }
            for p in ranked
        ],
    }  # fmt: skip
