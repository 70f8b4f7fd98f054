"""Which of these pages an engine would sooner cite for a query, read from words and forms alone: nothing is fitted."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.ranking.dataset import Candidate
from steelyard.lab.ranking.features import LENGTH, LEXICAL, STRUCTURE, features

BLENDED = "regex_blend"
# Signals of which more is better; their standardised mean is the score. Fixed before it was evaluated.
SIGNALS = (
    "q_bm25", "q_tfidf_cos", "q_coverage", "q_ngram", "q_proximity", "q_lead_overlap", "q_phrase", "q_entity",
    "a_match", "a_definition",
)  # fmt: skip
SAYS = {
    "q_bm25": "the query's rarer words",
    "q_tfidf_cos": "words used much as in the query",
    "q_coverage": "most of the query's words",
    "q_ngram": "several words of the query in a row",
    "q_proximity": "the query's words close together",
    "q_lead_overlap": "the query's words at the beginning",
    "q_phrase": "the query as a phrase",
    "q_entity": "its names and numbers",
    "a_match": "the kind of answer that is asked for",
    "a_definition": "a definition at the beginning",
}
REASONS = 3
NOTICEABLE = 0.3  # standard deviations above the others


@dataclass(frozen=True, slots=True)
class Ranked:
    """A page with its place (from 1; equals share one), its score, and what speaks for and against it."""

    name: str
    place: int
    score: float
    speaks_for: tuple[str, ...]
    speaks_against: tuple[str, ...]
    features: Mapping[str, float]


def standardised(rows: Sequence[Mapping[str, float]], name: str) -> list[float]:
    """A signal in standard deviations from the mean of these candidates; all 0 where they do not differ."""
    values = [row[name] for row in rows]
    centre = mean(values)
    spread = math.sqrt(math.fsum((v - centre) ** 2 for v in values) / len(values))
    return [(v - centre) / spread if spread > 0 else 0.0 for v in values]


def blend(rows: Sequence[Mapping[str, float]]) -> list[float]:
    """The mean of the standardised signals of every candidate."""
    if not rows:
        return []
    columns = [standardised(rows, name) for name in SIGNALS]
    return [mean(list(column)) for column in zip(*columns, strict=True)]


def predict(
    query: str, pages: Sequence[Candidate], *, as_of: date, language: str = "en", scores: Sequence[float] | None = None
) -> list[Ranked]:
    """All pages, the likeliest first; pages with the same score share a place and keep the order they came in.

    `scores` are a trained model's; the reasons are the signals' either way.
    """
    if not pages:
        return []
    rows = features(query, pages, language=language, as_of=as_of, families=(LEXICAL, STRUCTURE, LENGTH))
    found = list(scores) if scores is not None else blend(rows)
    deviations = {name: standardised(rows, name) for name in SIGNALS}
    order = sorted(range(len(pages)), key=lambda i: -found[i])
    ascending = sorted(found)
    ranked: list[Ranked] = []
    for i in order:
        above = len(pages) - bisect_right(ascending, found[i])
        mine = {name: deviations[name][i] for name in SIGNALS}
        ranked.append(Ranked(pages[i].key, above + 1, found[i], *_reasons(mine), rows[i]))
    return ranked


def _reasons(mine: Mapping[str, float]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    by_size = sorted(mine, key=lambda name: (-abs(mine[name]), name))
    speaks_for = tuple(SAYS[n] for n in by_size if mine[n] > NOTICEABLE)[:REASONS]
    against = tuple(SAYS[n] for n in by_size if mine[n] < -NOTICEABLE)[:REASONS]
    return speaks_for, against
