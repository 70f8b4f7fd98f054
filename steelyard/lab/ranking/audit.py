"""Does an evaluation leak? The only place that splits by record, to show what that would gain.

A probe that never sees the query cannot know which of several sources of an unseen query is cited. What it gains when
the folds are drawn over records instead of queries is memory: it has met the query's sources under another engine.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.ranking.dataset import Dataset
from steelyard.lab.ranking.evaluate import SPEARMAN, Judged, Scores, crossed, fitted, judged
from steelyard.lab.ranking.features import CONTENT, LENGTH, LEXICAL, NAMES_OF, STRUCTURE
from steelyard.lab.ranking.folds import FOLDS, query_folds
from steelyard.lab.ranking.models import LAMBDAMART, Model
from steelyard.lab.ranking.prepare import Prepared
from steelyard.lab.stats.bootstrap import bootstrap
from steelyard.support.wording import counted

SEEDS = (0, 1, 2)
LEAST = 0.05  # gain in Spearman from which a leak is worth its name
FEWEST = 15  # queries with several answers
PROBE = (*NAMES_OF[CONTENT], *NAMES_OF[LENGTH])
SIGHTED = (*NAMES_OF[LEXICAL], *NAMES_OF[STRUCTURE], *PROBE)
LEAKS, CLEAN, UNDEFINED = "leaks", "no leak found", "undefined"


def audit(prepared: Prepared, *, draws: int = 1000, seed: int = 0) -> dict[str, Any]:
    """The probe and a ranker that sees the query, each under both kinds of folds, and a verdict on record folds."""
    data = prepared.data
    shared = shared_queries(data)
    found: dict[str, Any] = {
        "groups": len(data.groups),
        "queries": len(data.queries),
        "engines": list(data.engines),
        "shared_queries": len(shared),
        "shared_sources": shared_sources(data),
        "models": {},
    }
    if not shared:
        reason = "every query occurs once, so that folds over records are folds over queries"
        return found | {"verdict": CLEAN, "reason": reason}
    if len(shared) < FEWEST or len(data.queries) < FOLDS:
        several = counted(len(shared), "query has", "queries have")
        reason = f"{several} more than one answer; a verdict needs {FEWEST}"
        return found | {"verdict": UNDEFINED, "reason": reason}
    for name, features in (("query-blind probe", PROBE), ("regex only", SIGHTED)):
        found["models"][name] = _both(prepared, features, LAMBDAMART, shared, draws=draws, seed=seed)
    probe = found["models"]["query-blind probe"]
    leaks = probe["difference"] >= LEAST and probe["interval"][0] > 0
    return found | {"verdict": LEAKS if leaks else CLEAN, "reason": _reason(leaks, probe)}


def _reason(leaks: bool, probe: dict[str, Any]) -> str:
    gain = f"{probe['difference']:+.3f} ({probe['interval'][0]:+.3f} to {probe['interval'][1]:+.3f})".replace("-", "−")
    if leaks:
        return (
            f"on queries with several answers a probe that never sees the query gains {gain} when folds are drawn over "
            "records: draw them over queries"
        )
    return f"on queries with several answers the probe gains {gain} from folds over records: too little to accuse"


def leaky(prepared: Prepared, names: Sequence[str], model: Model, seed: int = 0) -> Judged:
    """A model under record folds, for the table that puts both kinds side by side."""
    return judged(prepared, _record_folds(prepared, names, model, seed))


def _both(
    prepared: Prepared, names: Sequence[str], model: Model, shared: frozenset[str], *, draws: int, seed: int
) -> dict[str, Any]:
    """Only queries with several answers can be looked up, so they alone are compared."""
    by_query: list[Judged] = []
    by_record: list[Judged] = []
    for k in SEEDS:
        folds = query_folds(prepared.data.queries, seed=seed + k)
        by_query.append(judged(prepared, crossed(prepared, names, model, folds, seed + k)))
        by_record.append(judged(prepared, _record_folds(prepared, names, model, seed + k)))
    strict, loose = _averaged(by_query), _averaged(by_record)
    compared = [q for q in strict if q in loose and q in shared]
    differences = [loose[q] - strict[q] for q in compared]
    span = bootstrap(
        len(differences), lambda draw: mean([differences[i] for i in draw]), random.Random(f"{seed}|audit"), draws
    )
    return {
        "n": len(differences),
        "record_folds": mean([loose[q] for q in compared]),
        "query_folds": mean([strict[q] for q in compared]),
        "difference": mean(differences),
        "interval": [span.low, span.high],
    }


def _averaged(results: Sequence[Judged]) -> dict[str, float]:
    """Every query's Spearman over the shuffles in which it has one."""
    values: dict[str, list[float]] = {}
    for result in results:
        for query, value in result.by_query[SPEARMAN].items():
            values.setdefault(query, []).append(value)
    return {query: mean(found) for query, found in values.items()}


def _record_folds(prepared: Prepared, names: Sequence[str], model: Model, seed: int) -> Scores:
    """What must not be done: groups dealt into folds one by one, whatever their query."""
    columns = prepared.columns(names)
    order = sorted(range(len(prepared.data.groups)), key=lambda i: hashlib.sha256(f"{seed}|{i}".encode()).digest())
    scores: Scores = {}
    for k in range(FOLDS):
        test = order[k::FOLDS]
        held_out = set(test)
        train = [i for i in order if i not in held_out]
        scores |= fitted(prepared, columns, model, sorted(train), test, seed=seed)
    return scores


def shared_queries(data: Dataset) -> frozenset[str]:
    """Queries with more than one group."""
    return frozenset(q for q, n in Counter(g.query_id for g in data.groups).items() if n > 1)


def shared_sources(data: Dataset) -> int:
    """Texts that are candidates of more than one query: folds over queries cannot keep these apart."""
    seen: dict[str, set[str]] = {}
    for group in data.groups:
        for candidate in group.candidates:
            digest = hashlib.sha256(candidate.text.encode("utf-8", "surrogatepass")).hexdigest()
            seen.setdefault(digest, set()).add(group.query_id)
    return sum(len(queries) > 1 for queries in seen.values())
