"""How well the score agrees with visibility: within every query, where its sources compete, averaged over queries.

Sources are scored as the engine saw them, with the record's title or none, and uncapped, because short sources would
all reach a cap.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any, NamedTuple

from steelyard.errors import UnsupportedLanguage
from steelyard.lab.outcome.query_shares import MEAN, Bootstrap, Query, QueryShares, list_orders_asked
from steelyard.lab.stats.correlation import spearman
from steelyard.pipeline import score_text
from steelyard.scoring import editions, weighting
from steelyard.scoring.freshness import NEUTRAL
from steelyard.scoring.page import PageScore, contributions
from steelyard.support.artifacts import mark_undefined
from steelyard.support.quantile import quantile

Scores = Mapping[str, float]
SourceScores = Mapping[tuple[str, str], Scores | str]  # by title and text; a string says why there are none

WEIGHTINGS = ("shipped", "prior", "equal")
LINEAR = ("prior", "equal")  # weigh the readings themselves
SHIPPED, BLENDED, FRESHNESS = "shipped", "blended", "freshness"
SCORES = (*WEIGHTINGS, BLENDED, FRESHNESS)
PAIRS = {f"{one} - {other}": (one, other) for one, other in itertools.combinations(WEIGHTINGS, 2)}
MIN_SOURCE_WORDS = 150  # of the median source
NO_WORDS, ANOTHER_LANGUAGE = "without words", "in another language"


@dataclass(frozen=True)
class ScoredAnswer:
    """The scored sources of one answer, in the order of the first prompt.

    `shares` are by order and `mean`; `scores` are by weighting, `blended` and `freshness`.
    """

    query: Query
    shares: Mapping[str, tuple[float, ...]]
    scores: Mapping[str, tuple[float, ...]]


@dataclass(frozen=True)
class Sample:
    """Scored answers, the orders they were asked in, and the number of sources left out by reason."""

    records: tuple[ScoredAnswer, ...]
    orders: tuple[str, ...]
    left_out: Mapping[str, int]

    @property
    def queries(self) -> list[Query]:
        return [r.query for r in self.records]

    @property
    def readings(self) -> tuple[str, ...]:
        """The orders and, if answers were asked in several, their mean; the last is the one to quote."""
        return (*self.orders, MEAN) if any(MEAN in r.shares for r in self.records) else self.orders


def explain_snippets(records: Sequence[QueryShares]) -> dict[str, str] | None:
    """Return why there are no figures of content if the sources are too short to be scored, else None."""
    words = [len(source.text.split()) for v in records for source in v.sources]
    if not words:
        return mark_undefined("no answers")
    median = quantile(words, 0.5)
    if median >= MIN_SOURCE_WORDS:
        return None
    return mark_undefined(f"snippets: median source has {median:g} words, {MIN_SOURCE_WORDS} are needed")


def weigh_content(page: PageScore) -> dict[str, float]:
    """Return the content score of a page by weighting; the transform belongs to the shipped weights alone.

    The prior and equal weights are linear, as in the paper and in `lab protocol compare`.
    """
    values = {name: reading.value for name, reading in page.readings.items()}
    return {name: _weigh(values, name) for name in WEIGHTINGS}


def _weigh(values: Mapping[str, float], name: str) -> float:
    weights = weighting.load(name).weights
    points = {n: weights[n] * values[n] for n in weights} if name in LINEAR else contributions(values, weights)
    return min(100.0, math.fsum(points.values()))


def list_scores(page: PageScore) -> dict[str, float]:
    """Return the content score of a page by weighting, the blend with its freshness, and that alone."""
    return {**weigh_content(page), BLENDED: page.blended, FRESHNESS: page.freshness}


def score_sources(
    records: Sequence[QueryShares], as_of: date, score: Callable[[PageScore], Scores] = list_scores
) -> SourceScores:
    """Score every source of the records, or say why it has no score."""
    known: dict[tuple[str, str], Scores | str] = {}
    measure = partial(score_text, as_of=as_of, edition=editions.load(editions.PAPER), evidence=False)
    for title, text in dict.fromkeys((source.title, source.text) for v in records for source in v.sources):
        try:
            page = measure(text, title=title) if text.split() else None
        except UnsupportedLanguage:
            known[title, text] = ANOTHER_LANGUAGE
            continue
        known[title, text] = score(page) if page else NO_WORDS
    return known


def build_sample(records: Sequence[QueryShares], known: SourceScores, names: Sequence[str] = SCORES) -> Sample:
    """Join the records with these scores of their sources; a source without any is left out of its query."""
    answers, left_out = [], Counter[str]()
    for v in records:
        scored: list[tuple[int, Scores]] = []
        for i in v.first_shown:
            scores = known[v.sources[i].title, v.sources[i].text]
            if isinstance(scores, str):
                left_out[scores] += 1
            else:
                scored.append((i, scores))
        by_order = {**v.by_order, MEAN: v.mean} if len(v.by_order) > 1 else v.by_order
        shares = {order: tuple(values[i] for i, _ in scored) for order, values in by_order.items()}
        by_name = {name: tuple(s[name] for _, s in scored) for name in names}
        answers.append(ScoredAnswer(v.key, shares, by_name))
    return Sample(tuple(answers), list_orders_asked(records), dict(sorted(left_out.items())))


def correlate(records: Sequence[ScoredAnswer], score: str, order: str) -> list[float | None]:
    """Return each record's rank correlation of a score with the shares; None if one is missing or does not vary."""
    return [spearman(r.scores[score], r.shares[order]) if order in r.shares else None for r in records]


def subtract(ones: Sequence[float | None], others: Sequence[float | None]) -> list[float | None]:
    """Return one minus the other where both have a value."""
    return [None if a is None or b is None else a - b for a, b in zip(ones, others, strict=True)]


class Concordance(NamedTuple):
    """The share of a query's pairs that score and visibility order alike; `pairs` are those that visibility orders."""

    share: float | None
    pairs: int
    tied_shares: int
    tied_scores: int  # of `pairs`: each counts one half


def measure_concordance(scores: Sequence[float], shares: Sequence[float]) -> Concordance:
    """Compare all pairs of sources that differ in visibility."""
    alike, pairs, tied_shares, tied_scores = 0.0, 0, 0, 0
    for (score, share), (other_score, other_share) in itertools.combinations(zip(scores, shares, strict=True), 2):
        if share == other_share:
            tied_shares += 1
            continue
        pairs += 1
        tied_scores += score == other_score
        alike += 0.5 if score == other_score else float((score > other_score) == (share > other_share))
    return Concordance(alike / pairs if pairs else None, pairs, tied_shares, tied_scores)


def measure_agreement(sample: Sample, bootstrap: Bootstrap) -> dict[str, Any]:
    """Return Spearman and concordance of every weighting's content with visibility, by order, and paired differences.

    `with_place` is the correlation of content with the place in the first prompt: if it is not 0, one order alone
    cannot separate content from position. `each` has the values of the last reading, answer by answer.
    """
    places = [[-float(place) for place in range(len(r.scores[SHIPPED]))] for r in sample.records]
    with_place = [spearman(r.scores[SHIPPED], place) for r, place in zip(sample.records, places, strict=True)]
    return {
        "records": len(sample.records),
        "sources": sum(map(len, places)),
        "left_out": dict(sample.left_out),
        "readings": list(sample.readings),
        "weightings": list(WEIGHTINGS),
        "differences": list(PAIRS),
        "by_order": {order: _measure_order(sample, order, bootstrap) for order in sample.readings},
        "each": {
            "query": [query_id for query_id, _ in sample.queries],
            "spearman": {name: correlate(sample.records, name, sample.readings[-1]) for name in WEIGHTINGS},
        },
        "with_place": bootstrap.average_queries(sample.queries, with_place),
    }


def _measure_order(sample: Sample, order: str, bootstrap: Bootstrap) -> dict[str, Any]:
    correlations = {name: correlate(sample.records, name, order) for name in WEIGHTINGS}
    return {
        "weightings": {
            name: {
                "spearman": bootstrap.average_queries(sample.queries, values),
                "concordance": _average_concordance(sample, name, order, values, bootstrap),
            }
            for name, values in correlations.items()
        },
        "differences": {
            name: bootstrap.average_queries(sample.queries, subtract(correlations[one], correlations[other]))
            for name, (one, other) in PAIRS.items()
        },
    }


def _average_concordance(
    sample: Sample, score: str, order: str, correlations: Sequence[float | None], bootstrap: Bootstrap
) -> dict[str, Any]:
    """Average over the records that have a rank correlation, so that both figures have one n; chance is one half."""
    concordances = [
        None if value is None else measure_concordance(r.scores[score], r.shares[order])
        for r, value in zip(sample.records, correlations, strict=True)
    ]
    counted = [c for c in concordances if c is not None]
    return {
        **bootstrap.average_queries(sample.queries, [c.share if c else None for c in concordances], null=0.5),
        "pairs": sum(c.pairs for c in counted),
        "tied_shares": sum(c.tied_shares for c in counted),
        "tied_scores": sum(c.tied_scores for c in counted),
    }


def measure_freshness(sample: Sample, bootstrap: Bootstrap) -> dict[str, Any]:
    """Compare content with the blend before cap and guard, by order and on the same queries.

    A source without a date, a dated citation or a word of time has F = 50 and changes no order: `with_evidence` counts
    the others, and `moved` the answers in which the blend changes the correlation.
    """
    values = [f for r in sample.records for f in r.scores[FRESHNESS]]
    by_order = {}
    for order in sample.readings:
        content, blended = (correlate(sample.records, name, order) for name in (SHIPPED, BLENDED))
        gained = subtract(blended, content)
        columns = {
            "content": [c if g is not None else None for c, g in zip(content, gained, strict=True)],
            "blended": [b if g is not None else None for b, g in zip(blended, gained, strict=True)],
            "difference": gained,
        }
        figures = {name: bootstrap.average_queries(sample.queries, column) for name, column in columns.items()}
        by_order[order] = {**figures, "moved": sum(bool(g) for g in gained)}
    return {
        "records": len(sample.records),
        "sources": len(values),
        "with_evidence": sum(f != NEUTRAL for f in values),
        "readings": list(sample.readings),
        "by_order": by_order,
    }
