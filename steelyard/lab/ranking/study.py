"""The whole study of one data set: baselines, models, both kinds of folds, transfer, importance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.ranking.arms import CONTENT_ONLY, FULL, QUERY_ONLY, REGEX_ONLY, Arms, arms, with_position
from steelyard.lab.ranking.audit import audit, leaky
from steelyard.lab.ranking.evaluate import (
    METRICS,
    SEEDS,
    Judged,
    Trial,
    by_tag,
    compared,
    judged,
    single,
    summary,
    trial,
)
from steelyard.lab.ranking.features import FIXED
from steelyard.lab.ranking.models import GBM_MODEL, LAMBDAMART, PAIRWISE_MODEL, RIDGE_MODEL, Model, boosted
from steelyard.lab.ranking.predict import BLENDED
from steelyard.lab.ranking.prepare import POSITION, Prepared
from steelyard.lab.ranking.transfer import transfer
from steelyard.support.progress import tracked

BM25, CROSS_LOGIT, COSINE = "q_bm25", "x_logit", "e_cosine"
# Every model on the arms the paper has it on, and LambdaMART on all.
GRID: tuple[tuple[Model, tuple[str, ...] | None], ...] = (
    (RIDGE_MODEL, (CONTENT_ONLY, QUERY_ONLY, REGEX_ONLY, FULL)),
    (PAIRWISE_MODEL, (REGEX_ONLY, FULL)),
    (GBM_MODEL, (REGEX_ONLY, FULL)),
    (LAMBDAMART, None),
)


def study(
    prepared: Prepared, *, draws: int = 1000, seeds: Sequence[int] = SEEDS, seed: int = 0, quiet: bool = True
) -> dict[str, Any]:
    data = prepared.data
    chosen = arms(prepared)
    base = _baselines(prepared)
    found: dict[str, Any] = {
        "data": {
            "name": data.name,
            "groups": len(data.groups),
            "queries": len(data.queries),
            "engines": {e: sum(g.engine == e for g in data.groups) for e in data.engines},
            "excluded": data.excluded,
            "median_words": data.median_words,
            "snippets": data.snippets,
        },
        "undefined": dict(chosen.undefined),
        "chance": chance(prepared),
        "baselines_order": list(base),
        "baselines": {name: summary(result, draws=draws, seed=seed) for name, result in base.items()},
        "seeds": list(seeds),
        "models_order": [],
        "models": {},
    }
    against = {name: base[name] for name in (FIXED, BM25, CROSS_LOGIT, POSITION) if name in base}
    results: dict[str, Trial] = {}
    for model, arm in tracked(_grid(chosen), total=None, noun="models", quiet=quiet):
        name = f"{model.name}, {arm}"
        tried = trial(prepared, chosen.features[arm], model, seeds)
        leak = trial(prepared, with_position(chosen.features[arm]), model, seeds[:1]) if data.placed else None
        results[name] = tried
        found["models_order"].append(name)
        found["models"][name] = {
            "model": model.name,
            "arm": arm,
            "metrics": summary(tried.first, draws=draws, seed=seed),
            "seeds": tried.spread,
            "with_position": None if leak is None else summary(leak.first, draws=draws, seed=seed),
            "record_folds": summary(leaky(prepared, chosen.features[arm], model, seed), draws=0, seed=seed),
            "against": {other: compared(tried.first, judge) for other, judge in against.items()},
        }
    regex = f"{LAMBDAMART.name}, {REGEX_ONLY}"
    best = FULL if FULL in chosen.features else list(chosen.features)[-1]
    return found | {
        "gap": gap(base, results[regex].first),
        "audit": audit(prepared, draws=draws, seed=seed),
        "transfer": {
            "arm": best,
            "without_position": transfer(prepared, chosen.features[best], LAMBDAMART, draws=draws, seed=seed),
            "with_position": transfer(
                prepared, with_position(chosen.features[best]), LAMBDAMART, draws=draws, seed=seed
            )
            if data.placed
            else None,
        },
        "importance": importance(prepared, chosen.features[REGEX_ONLY]),
        "tags": tags(prepared, results[regex]),
    }


def _grid(chosen: Arms) -> list[tuple[Model, str]]:
    return [(model, arm) for model, only in GRID for arm in (only or chosen.features) if arm in chosen.features]


def _baselines(prepared: Prepared) -> dict[str, Judged]:
    """Every signal by itself. The fixed score only where content says something, the place only where it is known."""
    found = {}
    for name in prepared.names:
        if name.startswith("c_") and (prepared.data.snippets or name != FIXED):
            continue
        if name == POSITION and not prepared.data.placed:
            continue
        found[name] = judged(prepared, single(prepared, name))
    order = [n for n in (FIXED, BM25, BLENDED, COSINE, CROSS_LOGIT, POSITION) if n in found]
    return {n: found[n] for n in (*order, *(n for n in found if n not in order))}


def chance(prepared: Prepared) -> dict[str, float]:
    """What a random order gives on average, which is what no order gives: equal predictions are judged so."""
    none = judged(prepared, {i: np.zeros(len(truth)) for i, truth in enumerate(prepared.truth)})
    return {metric: mean(none.values(metric)) for metric in METRICS}


def gap(base: dict[str, Judged], regex: Judged) -> dict[str, Any] | None:
    """How far regex features lead from the fixed score (or chance, where it is undefined) to the best single signal."""
    if CROSS_LOGIT not in base:
        return None
    low = mean(base[FIXED].values()) if FIXED in base else 0.0
    high, here = mean(base[CROSS_LOGIT].values()), mean(regex.values())
    return {
        "from": FIXED if FIXED in base else "chance",
        "low": low,
        "high": high,
        "regex": here,
        "share": (here - low) / (high - low) if high > low else None,
    }


def importance(prepared: Prepared, names: Sequence[str]) -> dict[str, float]:
    """Shares of the gain in a fit to all of the data: how the model works, not how good it is."""
    columns = prepared.columns(names)
    booster = boosted([rows[:, columns] for rows in prepared.rows], list(prepared.truth), 0, names)
    gains = booster.feature_importance("gain")
    total = float(gains.sum()) or 1.0
    return {n: float(g) / total for n, g in sorted(zip(names, gains, strict=True), key=lambda p: (-p[1], p[0]))}


def tags(prepared: Prepared, regex: Trial) -> dict[str, Any]:
    """By tag, over all engines and for each: how far the engines agree on it says what the breakdown is worth."""
    groups = prepared.data.groups
    engines = {}
    for engine in prepared.data.engines if len(prepared.data.engines) > 1 else ():
        mine = {i: scores for i, scores in regex.scores.items() if groups[i].engine == engine}
        engines[engine] = by_tag(judged(prepared, mine), groups)
    return {"all": by_tag(regex.first, groups), "engines": engines}
