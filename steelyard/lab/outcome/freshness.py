"""The freshness ablation: does the blend of 8% go better with visibility than content alone?"""

from __future__ import annotations

import random
from typing import Any

from steelyard.lab.outcome.agreement import BLENDED, FRESHNESS, SHIPPED, Sample, differences, figure, spearmans
from steelyard.scoring.freshness import NEUTRAL


def freshness(sample: Sample, *, draws: int, rng: random.Random) -> dict[str, Any]:
    """By order: content, the blend before cap and guard, and blend minus content on the same queries.

    A source without a date, a dated citation or a word of time has F = 50 and moves no order: `with_evidence` are the
    others, and `moved` the answers in which the blend changes the correlation.
    """
    values = [f for r in sample.records for f in r.scores[FRESHNESS]]
    return {
        "records": len(sample.records),
        "sources": len(values),
        "with_evidence": sum(f != NEUTRAL for f in values),
        "readings": list(sample.readings),
        "by_order": {order: _of_order(sample, order, draws, rng) for order in sample.readings},
    }


def _of_order(sample: Sample, order: str, draws: int, rng: random.Random) -> dict[str, Any]:
    content, blended = (spearmans(sample.records, name, order) for name in (SHIPPED, BLENDED))
    gained = differences(blended, content)
    both = [g is not None for g in gained]
    named = {
        "content": [c if known else None for c, known in zip(content, both, strict=True)],
        "blended": [b if known else None for b, known in zip(blended, both, strict=True)],
        "difference": gained,
    }
    found = {name: figure(sample.queries, values, draws=draws, rng=rng) for name, values in named.items()}
    return {**found, "moved": sum(bool(g) for g in gained)}
