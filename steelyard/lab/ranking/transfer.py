"""Leave one engine out: alone, so that its queries may be known from other engines, and with its queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.ranking.evaluate import Judged, Scores, fitted, judged, summary
from steelyard.lab.ranking.folds import FOLDS, QueryFold, query_folds
from steelyard.lab.ranking.models import Model
from steelyard.lab.ranking.prepare import Prepared
from steelyard.support.wording import counted

ENGINE_ONLY, STRICT = "engine", "engine and queries"
FEWEST = 20  # groups to train on


def transfer(
    prepared: Prepared, names: Sequence[str], model: Model, *, draws: int, seed: int = 0
) -> dict[str, Any] | None:
    """Both regimes for every engine; None with one engine alone.

    In the strict regime the engine's queries are dealt into folds, and each is predicted by a model that saw neither
    the engine nor any of the fold's queries.
    """
    engines = prepared.data.engines
    if len(engines) < 2:
        return None
    columns = prepared.columns(names)
    groups = prepared.data.groups
    found: dict[str, Any] = {}
    for engine in engines:
        mine = [i for i, g in enumerate(groups) if g.engine == engine]
        others = [i for i, g in enumerate(groups) if g.engine != engine]
        if len(others) < FEWEST:
            found[engine] = {"undefined": f"{counted(len(others), 'group')} of other engines; {FEWEST} are needed"}
            continue
        queries = {groups[i].query_id for i in mine}
        if len(queries) < FOLDS:
            found[engine] = {"undefined": f"{counted(len(queries), 'query', 'queries')}; {FOLDS} are needed"}
            continue
        shared = queries & {groups[i].query_id for i in others}
        loose = judged(prepared, fitted(prepared, columns, model, others, mine, seed=seed))
        found[engine] = {
            "groups": len(mine),
            "shared_queries": len(shared),
            ENGINE_ONLY: summary(loose, draws=draws, seed=seed),
            STRICT: summary(_strict(prepared, columns, model, mine, others, seed=seed), draws=draws, seed=seed),
        }
    return {"order": list(engines), "engines": found, "means": {r: _mean(found, r) for r in (ENGINE_ONLY, STRICT)}}


def _strict(
    prepared: Prepared, columns: Sequence[int], model: Model, mine: Sequence[int], others: Sequence[int], *, seed: int
) -> Judged:
    groups = prepared.data.groups
    folds: Sequence[QueryFold] = query_folds((groups[i].query_id for i in mine), seed=seed)
    scores: Scores = {}
    for fold in folds:
        train = [i for i in others if groups[i].query_id not in fold.held_out]
        test = [i for i in mine if groups[i].query_id in fold.held_out]
        if len(train) >= FEWEST and test:
            scores |= fitted(prepared, columns, model, train, test, seed=seed)
    return judged(prepared, scores)


def _mean(engines: dict[str, Any], regime: str) -> float | None:
    values = [e[regime]["spearman"]["mean"] for e in engines.values() if regime in e]
    known = [v for v in values if v is not None]
    return mean(known) if known else None
