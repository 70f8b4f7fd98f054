"""Does an evaluation leak? The only module that splits by record, to show what that would gain.

A probe that never sees the query cannot know which of several sources of an unseen query is cited. What it gains when
folds are drawn over records instead of queries is memory: it has met the query's sources under another engine.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.ranking import evaluate as ev
from steelyard.lab.ranking.dataset import Dataset
from steelyard.lab.ranking.evaluate import Evaluation, Scores, evaluate
from steelyard.lab.ranking.features import CONTENT, LENGTH, LEXICAL, NAMES_OF, STRUCTURE
from steelyard.lab.ranking.folds import FOLDS, make_query_folds
from steelyard.lab.ranking.models import LAMBDAMART, Model
from steelyard.lab.ranking.prepare import PreparedData
from steelyard.support.formatting import format_count

SHUFFLES = 3  # of the folds
LEAST = 0.05  # gain in Spearman that counts as a leak
FEWEST = 15  # queries with several answers
PROBE = (*NAMES_OF[CONTENT], *NAMES_OF[LENGTH])
SIGHTED = (*NAMES_OF[LEXICAL], *NAMES_OF[STRUCTURE], *PROBE)
LEAKS, CLEAN, UNDEFINED = "leaks", "no leak found", "undefined"


def run_audit(prepared: PreparedData, *, draws: int = 1000, seed: int = 0) -> dict[str, Any]:
    """Evaluate the probe and a ranker that sees the query under both kinds of folds, and judge folds over records."""
    data = prepared.data
    shared = find_shared_queries(data)
    result: dict[str, Any] = {
        "groups": len(data.groups),
        "queries": len(data.queries),
        "engines": list(data.engines),
        "shared_queries": len(shared),
        "shared_sources": count_shared_sources(data),
        "models": {},
    }
    if not shared:
        reason = "every query occurs once, so that folds over records are folds over queries"
        return result | {"verdict": CLEAN, "reason": reason}
    if len(shared) < FEWEST or len(data.queries) < FOLDS:
        several = format_count(len(shared), "query has", "queries have")
        reason = f"{several} more than one answer; a verdict needs {FEWEST}"
        return result | {"verdict": UNDEFINED, "reason": reason}
    for name, features in (("query-blind probe", PROBE), ("regex only", SIGHTED)):
        result["models"][name] = _compare_folds(prepared, features, LAMBDAMART, shared, draws=draws, seed=seed)
    probe = result["models"]["query-blind probe"]
    low, high = probe["interval"]
    gain = f"{probe['difference']:+.3f} ({low:+.3f} to {high:+.3f})".replace("-", "−")
    if probe["difference"] >= LEAST and low > 0:
        verdict = LEAKS
        reason = (
            f"on queries with several answers a probe that never sees the query gains {gain} when folds are drawn over "
            "records: draw them over queries"
        )
    else:
        verdict = CLEAN
        reason = f"on queries with several answers the probe gains {gain} from folds over records: too little to accuse"
    return result | {"verdict": verdict, "reason": reason}


def evaluate_on_record_folds(prepared: PreparedData, names: Sequence[str], model: Model, seed: int = 0) -> Evaluation:
    """Do what must not be done: put groups into folds one by one, whatever their query."""
    order = sorted(range(len(prepared.data.groups)), key=lambda i: hashlib.sha256(f"{seed}|{i}".encode()).digest())
    scores: Scores = {}
    for k in range(FOLDS):
        test = order[k::FOLDS]
        scores |= ev.fit_and_score(prepared, names, model, sorted(set(order) - set(test)), test, seed=seed)
    return evaluate(prepared, scores)


def _compare_folds(
    prepared: PreparedData, names: Sequence[str], model: Model, shared: frozenset[str], *, draws: int, seed: int
) -> dict[str, Any]:
    """Compare both kinds of folds on queries with several answers: a model can only look those up."""
    shuffles = range(seed, seed + SHUFFLES)
    folds = [make_query_folds(prepared.data.queries, seed=k) for k in shuffles]
    over_queries = [ev.cross_validate(prepared, names, model, f, k) for f, k in zip(folds, shuffles, strict=True)]
    strict = _average_by_query([evaluate(prepared, scores) for scores in over_queries])
    loose = _average_by_query([evaluate_on_record_folds(prepared, names, model, k) for k in shuffles])
    compared = [q for q in strict if q in loose and q in shared]
    differences = [loose[q] - strict[q] for q in compared]
    return {
        "n": len(differences),
        "record_folds": mean([loose[q] for q in compared]),
        "query_folds": mean([strict[q] for q in compared]),
        "difference": mean(differences),
        "interval": ev.mean_interval(differences, random.Random(f"{seed}|audit"), draws),
    }


def _average_by_query(evaluations: Sequence[Evaluation]) -> dict[str, float]:
    """Average every query's Spearman over the shuffles in which it has one."""
    values: dict[str, list[float]] = {}
    for evaluation in evaluations:
        for query, value in evaluation.by_query[ev.SPEARMAN].items():
            values.setdefault(query, []).append(value)
    return {query: mean(several) for query, several in values.items()}


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
