"""Does content go with visibility? Asked within every query, where its sources compete, and averaged over queries.

Every figure is a mean over queries. Where several engines or runs answered a query, their values are averaged first:
they read the same sources, so that as records of their own they would make an interval too narrow. Sources are scored
as the engine saw them, with the record's title or none, and uncapped, because short sources would all meet a cap.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

from steelyard.components.arithmetic.numbers import mean
from steelyard.errors import UnsupportedLanguage
from steelyard.lab.outcome.visibility import Visible
from steelyard.lab.stats.bootstrap import bootstrap
from steelyard.lab.stats.correlation import spearman
from steelyard.lab.stats.paired import paired_t
from steelyard.lab.stats.summary import quantile
from steelyard.pipeline import score_text
from steelyard.scoring import weighting
from steelyard.scoring.page import contributions
from steelyard.support.artifacts import undefined

Query = tuple[str, str]  # its id and its words: ids alone may meet in two sets
Scores = Mapping[str, float]
Read = Mapping[tuple[str, str], Scores | str]

SHIPPED, PRIOR, EQUAL = WEIGHTINGS = ("shipped", "prior", "equal")
DIFFERENCES = tuple(itertools.combinations(WEIGHTINGS, 2))
BLENDED, FRESHNESS = "blended", "freshness"
MEAN = "mean"  # shares averaged over the orders; an answer asked in one order has none
LEAST_WORDS = 150
LEAST = 8  # queries in a sample that is given an interval; resamples of fewer hold too few values
NO_WORDS, ANOTHER_LANGUAGE = "without words", "in another language"


@dataclass(frozen=True)
class Scored:
    """The sources of one answer that could be scored, in the order of the (first) prompt: shares by order and `mean`,
    scores by weighting, `blended` and `freshness`."""

    query: Query
    shares: Mapping[str, tuple[float, ...]]
    scores: Mapping[str, tuple[float, ...]]


@dataclass(frozen=True)
class Sample:
    """Answers with scored sources, the orders they were asked in, and the sources left out, counted by reason."""

    records: tuple[Scored, ...]
    orders: tuple[str, ...]
    left_out: Mapping[str, int]

    @property
    def queries(self) -> list[Query]:
        return [r.query for r in self.records]

    @property
    def readings(self) -> tuple[str, ...]:
        """The orders and, where answers were asked in several, their mean; the last is the one to quote."""
        return (*self.orders, MEAN) if any(MEAN in r.shares for r in self.records) else self.orders


def query_of(visible: Visible) -> Query:
    return visible.query_id, visible.query


def orders_of(records: Sequence[Visible]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(order for v in records for order in v.by_order))


def snippets(records: Sequence[Visible]) -> dict[str, str] | None:
    """What stands in place of every figure of content where the sources are too short to be scored."""
    words = [len(source.text.split()) for v in records for source in v.sources]
    if not words:
        return undefined("no answers")
    median = quantile(words, 0.5)
    if median >= LEAST_WORDS:
        return None
    return undefined(f"snippets: median source has {median:g} words, {LEAST_WORDS} are needed")


def read(records: Sequence[Visible], as_of: date) -> Read:
    """The scores of every source by title and text, or why it has none."""
    texts = dict.fromkeys((source.title, source.text) for v in records for source in v.sources)
    return {(title, text): _read(title, text, as_of) for title, text in texts}


def _read(title: str, text: str, as_of: date) -> Scores | str:
    if not text.split():
        return NO_WORDS
    try:
        page = score_text(text, as_of=as_of, title=title, evidence=False)
    except UnsupportedLanguage:
        return ANOTHER_LANGUAGE
    values = {name: reading.value for name, reading in page.readings.items()}
    content = {
        name: min(100.0, math.fsum(contributions(values, weighting.load(name).weights).values())) for name in WEIGHTINGS
    }
    return {**content, BLENDED: page.blended, FRESHNESS: page.freshness}


def scored(records: Sequence[Visible], known: Read) -> Sample:
    """The records with the scores of their sources; a source that has none leaves its query."""
    found, left_out = [], Counter[str]()
    for v in records:
        kept: list[tuple[int, Scores]] = []
        for i in next(iter(v.shown.values())):
            scores = known[v.sources[i].title, v.sources[i].text]
            if isinstance(scores, str):
                left_out[scores] += 1
            else:
                kept.append((i, scores))
        of_order = {**v.by_order, MEAN: v.mean} if len(v.by_order) > 1 else v.by_order
        shares = {name: tuple(of[i] for i, _ in kept) for name, of in of_order.items()}
        names = (*WEIGHTINGS, BLENDED, FRESHNESS)
        found.append(Scored(query_of(v), shares, {name: tuple(s[name] for _, s in kept) for name in names}))
    return Sample(tuple(found), orders_of(records), dict(sorted(left_out.items())))


def figure(
    queries: Sequence[Query], values: Sequence[float | None], *, draws: int, rng: random.Random, null: float = 0.0
) -> dict[str, Any]:
    """The mean over queries with its bootstrap interval, and Student's t against `null`, two-sided.

    None is no value: `n` queries and `records` are those that have one.
    """
    by_query: dict[Query, list[float]] = {}
    for query, value in zip(queries, values, strict=True):
        if value is not None:
            by_query.setdefault(query, []).append(value)
    each = [mean(of_query) for of_query in by_query.values()]
    n, records = len(each), sum(map(len, by_query.values()))
    test = paired_t([value - null for value in each])
    return {
        "n": n,
        "records": records,
        "mean": mean(each) if each else None,
        "interval": interval_of_mean(each, draws=draws, rng=rng),
        "t": test.statistic if test else None,
        "p": test.p if test else None,
    }


def interval_of_mean(values: Sequence[float], *, draws: int, rng: random.Random) -> list[float | None] | None:
    """By resampling; None of too few values, or without draws."""
    if len(values) < LEAST or not draws:
        return None
    found = bootstrap(len(values), lambda drawn: mean([values[i] for i in drawn]), rng, draws)
    return [found.low, found.high]


def spearmans(records: Sequence[Scored], score: str, order: str) -> list[float | None]:
    """The rank correlation of a score with the shares of every record; None where one does not vary or is not there."""
    return [spearman(r.scores[score], r.shares[order]) if order in r.shares else None for r in records]


class Concordance(NamedTuple):
    """The share of a query's pairs that score and visibility order alike; `pairs` are those that visibility orders."""

    share: float | None
    pairs: int
    tied_shares: int
    tied_scores: int  # of `pairs`: each counts one half


def concordance(scores: Sequence[float], shares: Sequence[float]) -> Concordance:
    """Over all pairs of sources that differ in visibility."""
    alike, pairs, tied_shares, tied_scores = 0.0, 0, 0, 0
    for (score, share), (other_score, other_share) in itertools.combinations(zip(scores, shares, strict=True), 2):
        if share == other_share:
            tied_shares += 1
            continue
        pairs += 1
        tied_scores += score == other_score
        alike += 0.5 if score == other_score else float((score > other_score) == (share > other_share))
    return Concordance(alike / pairs if pairs else None, pairs, tied_shares, tied_scores)


def agreement(sample: Sample, *, draws: int, rng: random.Random) -> dict[str, Any]:
    """Spearman and concordance of every weighting's content with visibility, by order, and their paired differences.

    `with_place` is the correlation of content with the place in the (first) prompt: where it is not 0, one order alone
    cannot tell content from position. `each` are the values of the last reading, answer by answer.
    """
    places = [[-float(place) for place in range(len(r.scores[SHIPPED]))] for r in sample.records]
    with_place = [spearman(r.scores[SHIPPED], of) for r, of in zip(sample.records, places, strict=True)]
    return {
        "records": len(sample.records),
        "sources": sum(map(len, places)),
        "left_out": dict(sample.left_out),
        "readings": list(sample.readings),
        "weightings": list(WEIGHTINGS),
        "differences": [_name(*pair) for pair in DIFFERENCES],
        "by_order": {order: _of_order(sample, order, draws=draws, rng=rng) for order in sample.readings},
        "each": {
            "query": [query_id for query_id, _ in sample.queries],
            "spearman": {name: spearmans(sample.records, name, sample.readings[-1]) for name in WEIGHTINGS},
        },
        "with_place": figure(sample.queries, with_place, draws=draws, rng=rng),
    }


def _name(one: str, other: str) -> str:
    return f"{one} - {other}"


def _of_order(sample: Sample, order: str, *, draws: int, rng: random.Random) -> dict[str, Any]:
    found = {name: spearmans(sample.records, name, order) for name in WEIGHTINGS}
    return {
        "weightings": {
            name: {
                "spearman": figure(sample.queries, values, draws=draws, rng=rng),
                "concordance": _concordance(sample, name, order, draws=draws, rng=rng),
            }
            for name, values in found.items()
        },
        "differences": {
            _name(one, other): figure(sample.queries, differences(found[one], found[other]), draws=draws, rng=rng)
            for one, other in DIFFERENCES
        },
    }


def differences(ones: Sequence[float | None], others: Sequence[float | None]) -> list[float | None]:
    """One minus the other where both have a value."""
    return [None if a is None or b is None else a - b for a, b in zip(ones, others, strict=True)]


def _concordance(sample: Sample, score: str, order: str, *, draws: int, rng: random.Random) -> dict[str, Any]:
    """Over the records that have a rank correlation, so that both figures have one n; chance is one half."""
    found = [
        None if value is None else concordance(r.scores[score], r.shares[order])
        for r, value in zip(sample.records, spearmans(sample.records, score, order), strict=True)
    ]
    counted = [c for c in found if c is not None]
    return {
        **figure(sample.queries, [c.share if c else None for c in found], draws=draws, rng=rng, null=0.5),
        "pairs": sum(c.pairs for c in counted),
        "tied_shares": sum(c.tied_shares for c in counted),
        "tied_scores": sum(c.tied_scores for c in counted),
    }
