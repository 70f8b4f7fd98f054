"""The whole study of one data set: baselines, models, both kinds of folds, engines left out, size, importance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.ranking import evaluate as ev
from steelyard.lab.ranking import models
from steelyard.lab.ranking.dataset import FOLDS, make_query_folds
from steelyard.lab.ranking.evaluate import (
    SPEARMAN,
    Evaluation,
    Scores,
    Trial,
    evaluate,
    fit_and_score,
    run_trial,
    summarise,
)
from steelyard.lab.ranking.features import FIXED, POSITION
from steelyard.lab.ranking.leakage import compare_folds, find_shared_queries, run_audit, run_on_record_folds
from steelyard.lab.ranking.models import GBM_MODEL, LAMBDAMART, PAIRWISE_MODEL, RIDGE_MODEL, Model, fit_booster
from steelyard.lab.ranking.predict import BLENDED
from steelyard.lab.ranking.prepare import (
    CONTENT_ONLY,
    CROSS,
    EMBEDDING,
    FULL,
    QUERY_ONLY,
    QUERY_REGEX,
    REGEX_ONLY,
    PreparedData,
    select_arms,
)
from steelyard.support.formatting import format_count
from steelyard.support.progress import show_progress

ENGINE_ONLY, STRICT = "engine", "engine and queries"
MIN_GROUPS = 20  # groups to train on


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
        if len(train) < MIN_GROUPS:
            results[engine] = {
                "undefined": f"{format_count(len(train), 'group')} of other engines; {MIN_GROUPS} are needed"
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
        if len(train) >= MIN_GROUPS and test:
            scores |= fit_and_score(prepared, names, model, train, test, seed=seed)
    return scores


def _mean_over_engines(engines: dict[str, Any], regime: str) -> float | None:
    values = [e[regime]["spearman"]["mean"] for e in engines.values() if regime in e]
    defined = [v for v in values if v is not None]
    return mean(defined) if defined else None


LEAVES = (7, 15, 31)  # and half, all and double the fixed number of trees: the paper's grid


def measure_capacity(prepared: PreparedData, names: Sequence[str], seed: int) -> dict[str, Any]:
    """Return the mean Spearman on unseen queries for every number of trees and leaves, on one shuffle of the folds.

    Trees are added one by one, so that the first 100 of 400 are the fit with 100 trees.
    """
    numbers = (models.TREES // 2, models.TREES, models.TREES * 2)
    scores: dict[str, Scores] = {f"{trees}x{leaves}": {} for trees in numbers for leaves in LEAVES}
    rows, data = prepared.select_columns(names), prepared.data
    for fold in make_query_folds(data.queries, seed=seed):
        train, test = fold.train(data), fold.test(data)
        train_rows, truth = [rows[i] for i in train], [prepared.truth[i] for i in train]
        for leaves in LEAVES:
            booster = models.fit_booster(train_rows, truth, seed, trees=numbers[-1], leaves=leaves)
            for trees in numbers:
                for i in test:
                    scores[f"{trees}x{leaves}"][i] = booster.predict(rows[i], num_iteration=trees, num_threads=1)
    cells = {size: mean(evaluate(prepared, by_group, (SPEARMAN,)).values()) for size, by_group in scores.items()}
    return {
        "n": len(data.queries),
        "trees": list(numbers),
        "leaves": list(LEAVES),
        "cells": cells,
        "low": min(cells.values()),
        "high": max(cells.values()),
        "fixed": f"{models.TREES}x{models.LEAVES}",
    }


BM25, CROSS_LOGIT, COSINE = "q_bm25", "x_logit", "e_cosine"
# Every row of the paper's tables, and regex only and full for all models.
GRID: tuple[tuple[Model, tuple[str, ...]], ...] = (
    (RIDGE_MODEL, (CONTENT_ONLY, QUERY_REGEX, QUERY_ONLY, REGEX_ONLY, FULL)),
    (PAIRWISE_MODEL, (REGEX_ONLY, FULL)),
    (GBM_MODEL, (REGEX_ONLY, FULL)),
    (LAMBDAMART, (CONTENT_ONLY, REGEX_ONLY, EMBEDDING, CROSS, FULL)),
)


def run_study(
    prepared: PreparedData, *, draws: int = 1000, seeds: Sequence[int] = ev.SEEDS, seed: int = 0, quiet: bool = True
) -> dict[str, Any]:
    """Return the result that goes into the artifact."""
    data, (arms, undefined) = prepared.data, select_arms(prepared)
    baselines = _evaluate_baselines(prepared)
    compared = {name: baselines[name] for name in (FIXED, BM25, CROSS_LOGIT, POSITION) if name in baselines}
    grid = [(model, arm) for model, arms_of_model in GRID for arm in arms_of_model if arm in arms]
    shared = find_shared_queries(data)
    models: dict[str, Any] = {}
    trials: dict[str, Trial] = {}
    for model, arm in show_progress(grid, total=None, noun="models", quiet=quiet):
        name, features = f"{model.name}, {arm}", arms[arm]
        trial = trials[name] = run_trial(prepared, features, model, seeds)
        leak = run_trial(prepared, (*features, POSITION), model, seeds[:1]) if data.has_positions else None
        folds = None
        if shared:
            loose = run_on_record_folds(prepared, features, model, seeds)
            folds = compare_folds(data, loose, trial.shuffles, draws=draws, seed=seed)
        models[name] = {
            "model": model.name,
            "arm": arm,
            "metrics": summarise(trial.first, draws=draws, seed=seed),
            "seeds": trial.spread,
            "with_position": None if leak is None else summarise(leak.first, draws=draws, seed=seed),
            "folds": folds,
            "against": {other: ev.compare(trial.first, baseline) for other, baseline in compared.items()},
        }
    regex = trials[f"{LAMBDAMART.name}, {REGEX_ONLY}"]
    richest = list(arms)[-1]
    transfer = partial(measure_transfer, prepared, model=LAMBDAMART, draws=draws, seed=seed)
    return {
        "data": {
            "name": data.name,
            "groups": len(data.groups),
            "queries": len(data.queries),
            "engines": {e: sum(g.engine == e for g in data.groups) for e in data.engines},
            "excluded": data.excluded,
            "median_words": data.median_words,
            "snippets": data.content_undefined,
        },
        "undefined": undefined,
        "chance": compute_chance(prepared),
        "baselines_order": list(baselines),
        "baselines": {name: summarise(result, draws=draws, seed=seed) for name, result in baselines.items()},
        "seeds": list(seeds),
        "models_order": list(models),
        "models": models,
        "gap": measure_gap(baselines, regex.first),
        "relevance_less_score": (
            ev.compare(baselines[CROSS_LOGIT], baselines[FIXED]) if {CROSS_LOGIT, FIXED} <= baselines.keys() else None
        ),
        "audit": run_audit(prepared, draws=draws, seed=seed, seeds=seeds),
        "transfer": {
            "arm": richest,
            "without_position": transfer(arms[richest]),
            "with_position": transfer((*arms[richest], POSITION)) if data.has_positions else None,
        },
        "capacity": {"arm": richest} | measure_capacity(prepared, arms[richest], seeds[0]),
        "importance": measure_importance(prepared, arms[REGEX_ONLY]),
        "tags": {"arm": richest} | summarise_tags(prepared, trials[f"{LAMBDAMART.name}, {richest}"]),
    }


def _evaluate_baselines(prepared: PreparedData) -> dict[str, Evaluation]:
    """Evaluate every signal by itself: the fixed score only on long texts, the position only if it is known."""
    first = (FIXED, BM25, BLENDED, COSINE, CROSS_LOGIT, POSITION)
    baselines = {}
    for name in sorted(prepared.names, key=lambda n: first.index(n) if n in first else len(first)):
        if name.startswith("c_") and (name != FIXED or prepared.data.content_undefined):
            continue
        if name == POSITION and not prepared.data.has_positions:
            continue
        baselines[name] = evaluate(prepared, ev.score_by_feature(prepared, name))
    return baselines


def compute_chance(prepared: PreparedData) -> dict[str, float]:
    """Return what a random order gives on average. Equal predictions are evaluated in just that way."""
    equal = evaluate(prepared, {i: np.zeros(len(truth)) for i, truth in enumerate(prepared.truth)})
    return {metric: mean(equal.values(metric)) for metric in ev.METRICS}


def measure_gap(baselines: Mapping[str, Evaluation], regex: Evaluation) -> dict[str, Any] | None:
    """Return how far regex features get from the fixed score (or chance, if undefined) to the best single signal."""
    if CROSS_LOGIT not in baselines:
        return None
    low = mean(baselines[FIXED].values()) if FIXED in baselines else 0.0
    high, here = mean(baselines[CROSS_LOGIT].values()), mean(regex.values())
    return {
        "from": FIXED if FIXED in baselines else "chance",
        "low": low,
        "high": high,
        "regex": here,
        "share": (here - low) / (high - low) if high > low else None,
    }


def measure_importance(prepared: PreparedData, names: Sequence[str]) -> dict[str, float]:
    """Return each feature's share of the gain in a fit to all data: how the model works, not how good it is."""
    gains = fit_booster(prepared.select_columns(names), prepared.truth, 0, names).feature_importance("gain")
    total = float(gains.sum()) or 1.0
    return {n: float(g) / total for n, g in sorted(zip(names, gains, strict=True), key=lambda p: (-p[1], p[0]))}


def summarise_tags(prepared: PreparedData, trial: Trial) -> dict[str, Any]:
    """Summarise by tag, over all engines and for each: if engines disagree on a tag, the breakdown means little."""
    groups, engines = prepared.data.groups, prepared.data.engines
    by_engine = {}
    for engine in engines if len(engines) > 1 else ():
        scores = {i: s for i, s in trial.scores.items() if groups[i].engine == engine}
        by_engine[engine] = ev.summarise_by_tag(evaluate(prepared, scores), groups)
    return {"all": ev.summarise_by_tag(trial.first, groups), "engines": by_engine}
