"""Does an evaluation leak? The only module that splits by record, to show what that would gain.

The probe never sees the query. Under folds over queries it has met no answer to the query that it is tested on; under
folds over records it may have met its sources in another engine's answer. The audit compares the two.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.ranking import evaluate as ev
from steelyard.lab.ranking.dataset import FOLDS, Dataset
from steelyard.lab.ranking.evaluate import Evaluation, Scores, evaluate, run_trial
from steelyard.lab.ranking.features import CONTENT, NAMES_OF
from steelyard.lab.ranking.models import LAMBDAMART, Model
from steelyard.lab.ranking.prepare import PreparedData
from steelyard.support.formatting import format_count

SHUFFLES = 3  # of the folds
MIN_GAIN = 0.05  # gain in Spearman that counts as a leak
MIN_QUERIES = 15  # queries with several answers
PROBE, PROBED = "query-blind probe", NAMES_OF[CONTENT]  # the paper's: its content-only model
LEAKS, CLEAN, UNDEFINED = "leaks", "no leak found", "undefined"


def run_audit(prepared: PreparedData, *, draws: int = 1000, seed: int = 0, seeds: Sequence[int] = ()) -> dict[str, Any]:
    """Evaluate the probe under both kinds of folds, and judge folds over records.

    `seeds` are those of the shuffles; without them there are three, from `seed` on. The verdict goes by the queries
    with several answers: no other can be looked up.
    """
    data, shuffles = prepared.data, seeds or range(seed, seed + SHUFFLES)
    shared = find_shared_queries(data)
    result: dict[str, Any] = {
        "groups": len(data.groups),
        "queries": len(data.queries),
        "engines": list(data.engines),
        "shared_queries": len(shared),
        "shared_sources": count_shared_sources(data),
        "shuffles": len(shuffles),
        "models": {},
    }
    if not shared:
        reason = "every query occurs once, so that folds over records are folds over queries"
        return result | {"verdict": CLEAN, "reason": reason}
    if len(shared) < MIN_QUERIES or len(data.queries) < FOLDS:
        several = format_count(len(shared), "query has", "queries have")
        reason = f"{several} more than one answer; a verdict needs {MIN_QUERIES}"
        return result | {"verdict": UNDEFINED, "reason": reason}
    over_queries = run_trial(prepared, PROBED, LAMBDAMART, shuffles).shuffles
    over_records = run_on_record_folds(prepared, PROBED, LAMBDAMART, shuffles)
    probe = compare_folds(data, over_records, over_queries, draws=draws, seed=seed)
    verdict, reason = _judge(probe["shared"])
    return result | {"models": {PROBE: probe}, "verdict": verdict, "reason": reason}


def _judge(probe: Mapping[str, Any]) -> tuple[str, str]:
    low, high = probe["interval"]
    gain = f"{probe['difference']:+.3f} ({low:+.3f} to {high:+.3f})".replace("-", "−")
    if probe["difference"] >= MIN_GAIN and low > 0:
        return LEAKS, (
            f"on queries with several answers a probe that never sees the query gains {gain} when folds are drawn over "
            "records: draw them over queries"
        )
    reason = f"on queries with several answers the probe gains {gain} from folds over records: too little to accuse"
    return CLEAN, reason


def run_on_record_folds(
    prepared: PreparedData, names: Sequence[str], model: Model, seeds: Sequence[int]
) -> list[Evaluation]:
    """Evaluate on folds that split queries, which must not be done otherwise, once for every seed."""
    evaluations = []
    for seed in seeds:
        order = sorted(range(len(prepared.data.groups)), key=lambda i: hashlib.sha256(f"{seed}|{i}".encode()).digest())
        scores: Scores = {}
        for k in range(FOLDS):
            test = order[k::FOLDS]
            scores |= ev.fit_and_score(prepared, names, model, sorted(set(order) - set(test)), test, seed=seed)
        evaluations.append(evaluate(prepared, scores, (ev.SPEARMAN,)))
    return evaluations


def compare_folds(
    data: Dataset, over_records: Sequence[Evaluation], over_queries: Sequence[Evaluation], *, draws: int, seed: int
) -> dict[str, Any]:
    """Compare a model's mean Spearman under both kinds of folds, each averaged over its shuffles.

    Returns:
        The figures over all queries; under `answers` with every answer as one observation, as in the paper, and no
        interval, because answers to one query are not independent; and under `shared` for the queries with several
        answers, the only ones that can be looked up.
    """
    loose, strict = _average_by_group(over_records), _average_by_group(over_queries)
    answers: dict[str, list[tuple[float, float]]] = {}
    for i, group in enumerate(data.groups):
        answers.setdefault(group.query_id, []).append((loose[i], strict[i]))
    queries = {q: (mean([a for a, _ in pairs]), mean([b for _, b in pairs])) for q, pairs in answers.items()}
    several = [queries[q] for q, pairs in answers.items() if len(pairs) > 1]
    key = f"{seed}|audit"
    return {
        **_summarise_pairs(list(queries.values()), key, draws),
        "answers": _summarise_pairs([pair for pairs in answers.values() for pair in pairs], key, 0),
        "shared": _summarise_pairs(several, key, draws),
    }


def _average_by_group(evaluations: Sequence[Evaluation]) -> dict[int, float]:
    """Average every group's Spearman over the shuffles."""
    return {i: mean([e.by_group[i] for e in evaluations]) for i in evaluations[0].by_group}


def _summarise_pairs(pairs: Sequence[tuple[float, float]], key: str, draws: int) -> dict[str, Any]:
    """Return the means of both and of their difference; with `draws`, also its bootstrap interval."""
    differences = [loose - strict for loose, strict in pairs]
    return {
        "n": len(pairs),
        "record_folds": mean([loose for loose, _ in pairs]),
        "query_folds": mean([strict for _, strict in pairs]),
        "difference": mean(differences),
        "interval": ev.mean_interval(differences, key, draws) if draws and len(pairs) >= ev.MIN_QUERIES else None,
    }


def find_shared_queries(data: Dataset) -> frozenset[str]:
    """Return the queries with more than one group."""
    return frozenset(q for q, n in Counter(g.query_id for g in data.groups).items() if n > 1)


def count_shared_sources(data: Dataset) -> int:
    """Count texts that are candidates of more than one query: folds over queries cannot keep these apart."""
    queries_of: dict[str, set[str]] = {}
    for group in data.groups:
        for candidate in group.candidates:
            queries_of.setdefault(candidate.text, set()).add(group.query_id)
    return sum(len(queries) > 1 for queries in queries_of.values())
