"""Leave one engine out: alone, so that its queries may be known from other engines, or together with its queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.ranking.evaluate import Scores, evaluate, fit_and_score, summarise
from steelyard.lab.ranking.folds import FOLDS, make_query_folds
from steelyard.lab.ranking.models import Model
from steelyard.lab.ranking.prepare import PreparedData
from steelyard.support.formatting import format_count

ENGINE_ONLY, STRICT = "engine", "engine and queries"
FEWEST = 20  # groups to train on


def measure_transfer(
    prepared: PreparedData, names: Sequence[str], model: Model, *, draws: int, seed: int = 0
) -> dict[str, Any] | None:
    """Measure both regimes for every engine; return None if there is only one engine.

    In the strict regime the engine's queries are split into folds, and each is predicted by a model that saw neither
    the engine nor any query of the fold.
    """
    engines, groups = prepared.data.engines, prepared.data.groups
    if len(engines) < 2:
        return None
    results: dict[str, Any] = {}
    for engine in engines:
        test = [i for i, g in enumerate(groups) if g.engine == engine]
        train = [i for i, g in enumerate(groups) if g.engine != engine]
        queries = {groups[i].query_id for i in test}
        if len(train) < FEWEST:
            results[engine] = {
                "undefined": f"{format_count(len(train), 'group')} of other engines; {FEWEST} are needed"
            }
        elif len(queries) < FOLDS:
            results[engine] = {"undefined": f"{format_count(len(queries), 'query', 'queries')}; {FOLDS} are needed"}
        else:
            loose = fit_and_score(prepared, names, model, train, test, seed=seed)
            strict = _score_unseen_queries(prepared, names, model, engine, seed=seed)
            results[engine] = {
                "groups": len(test),
                "shared_queries": len(queries & {groups[i].query_id for i in train}),
                ENGINE_ONLY: summarise(evaluate(prepared, loose), draws=draws, seed=seed),
                STRICT: summarise(evaluate(prepared, strict), draws=draws, seed=seed),
            }
    means = {regime: _mean_over_engines(results, regime) for regime in (ENGINE_ONLY, STRICT)}
    return {"order": list(engines), "engines": results, "means": means}


def _score_unseen_queries(
    prepared: PreparedData, names: Sequence[str], model: Model, engine: str, *, seed: int
) -> Scores:
    data = prepared.data
    scores: Scores = {}
    for fold in make_query_folds((g.query_id for g in data.groups if g.engine == engine), seed=seed):
        train = [i for i in fold.train(data) if data.groups[i].engine != engine]
        test = [i for i in fold.test(data) if data.groups[i].engine == engine]
        if len(train) >= FEWEST and test:
            scores |= fit_and_score(prepared, names, model, train, test, seed=seed)
    return scores


def _mean_over_engines(engines: dict[str, Any], regime: str) -> float | None:
    values = [e[regime]["spearman"]["mean"] for e in engines.values() if regime in e]
    known = [v for v in values if v is not None]
    return mean(known) if known else None
