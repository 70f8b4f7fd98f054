"""How well the sources of unseen queries are ordered. One observation is a query, not an answer."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.ranking.dataset import Group, QueryFold, make_query_folds
from steelyard.lab.ranking.models import Model
from steelyard.lab.ranking.prepare import Array, PreparedData
from steelyard.lab.stats.intervals import draw_resamples, percentile_interval, standard_deviation
from steelyard.lab.stats.paired import paired_t, t_interval, wilcoxon
from steelyard.lab.stats.ranking import hit_at_1, mrr, ndcg, within_spearman

SPEARMAN = "spearman"
METRICS: Mapping[str, Callable[[Sequence[float], Sequence[float]], float | None]] = {
    SPEARMAN: within_spearman,
    "hit@1": hit_at_1,
    "mrr": mrr,
    "ndcg": ndcg,
}
SEEDS = (0, 1, 2, 3, 4)
MIN_QUERIES = 8  # queries for an interval

Scores = dict[int, Array]  # number of a group → a score for each of its candidates


@dataclass(frozen=True)
class Evaluation:
    """For every metric, the value of each query that has one, averaged over the query's groups.

    `by_group` has the Spearman of every group by its number: the paper counts answers, not queries.
    """

    by_query: Mapping[str, Mapping[str, float]]
    by_group: Mapping[int, float] = field(default_factory=dict)

    def values(self, metric: str = SPEARMAN) -> list[float]:
        return list(self.by_query[metric].values())


def score_by_feature(prepared: PreparedData, name: str) -> Scores:
    """Return one column as the score. Nothing is fitted, so nothing needs to be held out."""
    return {i: rows[:, 0] for i, rows in enumerate(prepared.select_columns([name]))}


def cross_validate(
    prepared: PreparedData, names: Sequence[str], model: Model, folds: Sequence[QueryFold], seed: int
) -> Scores:
    """Score every group by a model that saw no group of the same query."""
    scores: Scores = {}
    for fold in folds:
        scores |= fit_and_score(prepared, names, model, fold.train(prepared.data), fold.test(prepared.data), seed=seed)
    return scores


def fit_and_score(
    prepared: PreparedData, names: Sequence[str], model: Model, train: Sequence[int], test: Sequence[int], *, seed: int
) -> Scores:
    """Return the scores of the test groups by a model fitted to the training groups."""
    rows = prepared.select_columns(names)
    predict = model.fit([rows[i] for i in train], [prepared.truth[i] for i in train], seed)
    return {i: predict(rows[i]) for i in test}


def evaluate(prepared: PreparedData, scores: Scores, metrics: Collection[str] = tuple(METRICS)) -> Evaluation:
    """Return the metrics of the scored groups; a group without an order has none."""
    values: dict[str, dict[str, list[float]]] = {metric: {} for metric in metrics}
    by_group: dict[int, float] = {}
    for i, group in enumerate(prepared.data.groups):
        if i not in scores:
            continue
        predicted = [float(x) for x in scores[i]]
        for metric in metrics:
            value = METRICS[metric](predicted, group.visibility)
            if value is not None:
                values[metric].setdefault(group.query_id, []).append(value)
                if metric == SPEARMAN:
                    by_group[i] = value
    return Evaluation({m: {q: mean(v) for q, v in queries.items()} for m, queries in values.items()}, by_group)


def mean_interval(values: Sequence[float], key: str, draws: int) -> list[float]:
    """Return the bootstrap interval of the mean; the same key gives the same resamples."""
    resamples = _draw_resamples(len(values), draws, key)
    return list(percentile_interval(np.asarray(values)[resamples].mean(axis=1).tolist()))


@lru_cache(maxsize=8)
def _draw_resamples(n: int, draws: int, key: str) -> NDArray[np.intp]:
    """Every signal and model of a study is resampled in the same way, and drawing takes longer than the means."""
    return np.array(draw_resamples(n, draws, random.Random(key)), np.intp)


def summarise(evaluation: Evaluation, *, draws: int, seed: int) -> dict[str, Any]:
    """Return every metric's n, mean and bootstrap interval over queries."""
    summary = {}
    for metric in METRICS:
        values = evaluation.values(metric)
        n = len(values)
        summary[metric] = {
            "n": n,
            "mean": mean(values) if values else None,
            "interval": mean_interval(values, f"{seed}|{metric}|{n}", draws) if n >= MIN_QUERIES and draws else None,
        }
    return summary


def compare(one: Evaluation, other: Evaluation) -> dict[str, Any]:
    """Test the difference in Spearman on the queries that have both: only this may show that one is better."""
    a, b = one.by_query[SPEARMAN], other.by_query[SPEARMAN]
    differences = [a[q] - b[q] for q in a if q in b]
    t, w = paired_t(differences), wilcoxon(differences)
    return {
        "n": len(differences),
        "difference": mean(differences) if differences else None,
        "interval": t_interval(differences),
        "t": None if t is None else t.statistic,
        "p": None if t is None else t.p,
        "wilcoxon_p": None if w is None else w.p,
    }


@dataclass(frozen=True)
class Trial:
    """A model on an arm: its scores on the first shuffle of the folds, and its evaluation on every shuffle.

    The first evaluation has all metrics, the others have Spearman alone.
    """

    scores: Scores
    shuffles: tuple[Evaluation, ...]

    @property
    def first(self) -> Evaluation:
        return self.shuffles[0]

    @property
    def spread(self) -> tuple[float, float] | None:
        """Mean and standard deviation over the shuffles; None for fewer than two."""
        means = [mean(e.values()) for e in self.shuffles if e.values()]
        return (mean(means), standard_deviation(means)) if len(means) > 1 else None


def run_trial(prepared: PreparedData, names: Sequence[str], model: Model, seeds: Sequence[int]) -> Trial:
    """Cross-validate a model on these features, once for every seed."""
    queries = prepared.data.queries
    first, *others = (
        cross_validate(prepared, names, model, make_query_folds(queries, seed=seed), seed) for seed in seeds
    )
    return Trial(first, (evaluate(prepared, first), *(evaluate(prepared, s, (SPEARMAN,)) for s in others)))


def summarise_by_tag(evaluation: Evaluation, groups: Sequence[Group]) -> dict[str, dict[str, Any]]:
    """Return the mean Spearman of the queries with each tag, and its standard error. Descriptive only."""
    tags: dict[str, set[str]] = {}
    for group in groups:
        for tag in group.tags:
            tags.setdefault(tag, set()).add(group.query_id)
    summary = {}
    for tag, queries in sorted(tags.items()):
        values = [v for q, v in evaluation.by_query[SPEARMAN].items() if q in queries]
        if len(values) >= MIN_QUERIES:
            error = standard_deviation(values) / len(values) ** 0.5
            summary[tag] = {"n": len(values), "mean": mean(values), "error": error}
    return summary
