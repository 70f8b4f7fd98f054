"""How well sources of unseen queries are put in order: one observation is a query, not an answer."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.ranking.dataset import Group
from steelyard.lab.ranking.folds import QueryFold, query_folds
from steelyard.lab.ranking.models import Model
from steelyard.lab.ranking.prepare import Array, Prepared
from steelyard.lab.stats.bootstrap import bootstrap
from steelyard.lab.stats.paired import paired_t, wilcoxon
from steelyard.lab.stats.ranking import hit_at_1, mrr, ndcg, within_spearman
from steelyard.lab.stats.summary import deviation

SPEARMAN = "spearman"
METRICS: Mapping[str, Callable[[Sequence[float], Sequence[float]], float | None]] = {
    SPEARMAN: within_spearman,
    "hit@1": hit_at_1,
    "mrr": mrr,
    "ndcg": ndcg,
}
SEEDS = (0, 1, 2, 3, 4)
FEWEST = 8  # queries from which an interval is given

Scores = dict[int, Array]  # number of a group → a score for each of its candidates


@dataclass(frozen=True)
class Judged:
    """Per metric the value of every query that has one, averaged over its groups."""

    by_query: Mapping[str, Mapping[str, float]]

    def values(self, metric: str = SPEARMAN) -> list[float]:
        return list(self.by_query[metric].values())


def single(prepared: Prepared, name: str) -> Scores:
    """One column as it is: nothing is fitted, so there is nothing to hold out."""
    (column,) = prepared.columns([name])
    return {i: rows[:, column] for i, rows in enumerate(prepared.rows)}


def crossed(prepared: Prepared, names: Sequence[str], model: Model, folds: Sequence[QueryFold], seed: int) -> Scores:
    """Scores of every group by a model that saw none of its query's groups."""
    columns = prepared.columns(names)
    found: Scores = {}
    for fold in folds:
        train = prepared.indices(fold.train(prepared.data))
        test = prepared.indices(fold.test(prepared.data))
        found |= fitted(prepared, columns, model, train, test, seed=seed)
    return found


def fitted(
    prepared: Prepared, columns: Sequence[int], model: Model, train: Sequence[int], test: Sequence[int], *, seed: int
) -> Scores:
    predict = model.fit([prepared.rows[i][:, columns] for i in train], [prepared.truth[i] for i in train], seed)
    return {i: predict(prepared.rows[i][:, columns]) for i in test}


def judged(prepared: Prepared, scores: Scores) -> Judged:
    found: dict[str, dict[str, list[float]]] = {metric: {} for metric in METRICS}
    for i, group in enumerate(prepared.data.groups):
        if i not in scores:
            continue
        predicted = [float(x) for x in scores[i]]
        for metric, value_of in METRICS.items():
            value = value_of(predicted, group.visibility)
            if value is not None:
                found[metric].setdefault(group.query_id, []).append(value)
    return Judged({m: {q: mean(v) for q, v in queries.items()} for m, queries in found.items()})


def summary(result: Judged, *, draws: int, seed: int) -> dict[str, Any]:
    """Every metric with n and a bootstrap interval over queries."""
    found: dict[str, Any] = {}
    for metric in METRICS:
        values = result.values(metric)
        entry: dict[str, Any] = {"n": len(values), "mean": mean(values) if values else None, "interval": None}
        if len(values) >= FEWEST and draws:
            rng = random.Random(f"{seed}|{metric}|{len(values)}")
            span = bootstrap(len(values), partial(_mean_of, values), rng, draws)
            entry["interval"] = [span.low, span.high]
        found[metric] = entry
    return found


def _mean_of(values: Sequence[float], draw: Sequence[int]) -> float:
    return mean([values[i] for i in draw])


def compared(one: Judged, other: Judged, metric: str = SPEARMAN) -> dict[str, Any]:
    """Paired over the queries that have both: the only ground on which one may be called better."""
    a, b = one.by_query[metric], other.by_query[metric]
    differences = [a[q] - b[q] for q in a if q in b]
    t, w = paired_t(differences), wilcoxon(differences)
    return {
        "n": len(differences),
        "difference": mean(differences) if differences else None,
        "t": None if t is None else t.statistic,
        "p": None if t is None else t.p,
        "wilcoxon_p": None if w is None else w.p,
    }


@dataclass(frozen=True)
class Trial:
    """A model on an arm: judged on the first shuffle of the folds, and its spread over all of them."""

    first: Judged
    scores: Scores  # of the first shuffle
    means: tuple[float | None, ...]

    @property
    def spread(self) -> tuple[float, float] | None:
        known = [m for m in self.means if m is not None]
        return (mean(known), deviation(known)) if len(known) > 1 else None


def trial(prepared: Prepared, names: Sequence[str], model: Model, seeds: Sequence[int] = SEEDS) -> Trial:
    found = []
    for seed in seeds:
        folds = query_folds(prepared.data.queries, seed=seed)
        found.append(crossed(prepared, names, model, folds, seed))
    results = [judged(prepared, scores) for scores in found]
    means = tuple(mean(r.values()) if r.values() else None for r in results)
    return Trial(results[0], found[0], means)


def by_tag(result: Judged, groups: Sequence[Group]) -> dict[str, dict[str, Any]]:
    """The mean Spearman of queries with each tag, and its standard error; descriptive."""
    tags: dict[str, set[str]] = {}
    for group in groups:
        for tag in group.tags:
            tags.setdefault(tag, set()).add(group.query_id)
    found = {}
    for tag, queries in sorted(tags.items()):
        values = [v for q, v in result.by_query[SPEARMAN].items() if q in queries]
        if len(values) >= FEWEST:
            found[tag] = {"n": len(values), "mean": mean(values), "error": deviation(values) / len(values) ** 0.5}
    return found
