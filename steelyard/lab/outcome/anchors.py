"""Modern anchors: what the levers do to citations now, in percentage points, compared with what was published.

The published figures are gains relative to the target's own visibility. To be compared with a difference of shares
they are turned into points through the mean share of the untouched target.

The weights that the modern anchors would give are a demonstration, labelled as one and never shipped.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np

from steelyard.components import NAMES
from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.outcome.effects import AVERAGED, POOLED
from steelyard.lab.outcome.query_shares import QueryShares, group_pairs
from steelyard.lab.outcome.records.base import BASELINE
from steelyard.lab.protocol import fit
from steelyard.lab.protocol.anchors import ANCHORS
from steelyard.lab.protocol.component_values import FEWEST, Array, ComponentValues, TooFewSources
from steelyard.lab.protocol.families import sqrt
from steelyard.lab.protocol.gates import DRAWS, count_passed, judge, record_verdicts
from steelyard.lab.protocol.gates.base import PASS
from steelyard.lab.protocol.variants import LEVERS
from steelyard.lab.stats.correlation import pearson, permutation_p

HOLDS, EXPIRED, REVERSED, OPEN = "holds", "expired", "reversed", "open"
MEANING = {
    HOLDS: "the interval reaches the published effect and excludes 0",
    EXPIRED: "the interval does not reach the published effect",
    REVERSED: "the interval lies on the other side of 0",
    OPEN: "the interval holds both 0 and the published effect: too few queries to say",
}
FLAT = 1e-4  # times the weakest strength of the fit: stands for λ → 0
ZERO = 0.0005  # a smaller weight is printed as 0.000


def compare_anchors(
    effects: Mapping[str, Any],
    kept: Sequence[QueryShares],
    dated: date | None,
    levers: Sequence[str] = LEVERS,
    *,
    judged: bool = True,
) -> dict[str, Any]:
    """Return the modern anchors with their intervals, and for every lever whether the published one still holds.

    `judged` is False if an embedded reference answered: what it does says nothing about published effects.
    """
    untouched = group_pairs((v.query_id, v.mean[v.target]) for v in kept if v.arm == BASELINE and v.target is not None)
    share = mean([mean(of_query) for of_query in untouched.values()]) if untouched else None
    compared = {}
    for lever in levers:
        row = effects[POOLED].get(lever, {}).get(AVERAGED, {"n": 0})
        published = ANCHORS[lever] / 100 * share * 100 if share else None  # a share of 0 cannot gain anything
        points = [x * 100 for x in row["interval"]] if row.get("interval") else None
        compared[lever] = {
            "n": row["n"],
            "points": row["mean"] * 100 if row["n"] else None,
            "interval": points,
            "published_percent": ANCHORS[lever],
            "published_points": published,
            "verdict": judge_anchor(points, published) if judged else None,
        }
    return {
        "dated": dated and dated.isoformat(),
        "judged": judged,
        "baseline_share": share,
        "baseline_queries": len(untouched),
        "order": list(levers),
        "levers": compared,
    }


def judge_anchor(interval: Sequence[float] | None, published: float | None) -> str | None:
    """Return one of MEANING, or None without an interval or a published gain."""
    if interval is None or published is None:
        return None
    low, high = interval if published >= 0 else (-interval[1], -interval[0])
    if high < 0:
        return REVERSED
    if high < abs(published):
        return EXPIRED
    return HOLDS if low > 0 else OPEN


def recalibrate(
    modern: Mapping[str, float], train: ComponentValues, test: ComponentValues, *, draws: int = DRAWS
) -> dict[str, Any]:
    """Run the paper's pipeline with other anchors: nested strength, gates on both halves, held-out alignment.

    `modern` holds the effects of the first interventions, in their order. With three anchors no alignment can be
    tested: one of six orders agrees by chance.
    """
    if len(train) < FEWEST or len(test) < FEWEST:
        raise TooFewSources(len(train), len(test))
    anchors = list(modern.values())
    gamma = np.array(anchors)
    found = fit.fit_nested(train, sqrt, gamma=gamma)
    free = fit.fit_weights(train.matrix(sqrt)[: len(gamma)], FLAT * min(fit.LAMBDAS), gamma=gamma)
    shipped = fit.load_weights("shipped")
    rows = test.matrix(sqrt)[: len(gamma)]
    free_weights = dict(zip(NAMES, free.weights.tolist(), strict=True))
    return {
        "label": "modern-anchor recalibration, a demonstration that is not shipped",
        "anchors": anchors,
        "order": list(modern),
        "ridge": found.ridge,
        "ridge_is_the_greatest": found.ridge == max(fit.LAMBDAS),
        "weights": dict(zip(NAMES, found.weights.tolist(), strict=True)),
        "without_ridge": {
            "weights": free_weights,
            "zeroed": [n for n, w in free_weights.items() if w < ZERO],
            "train_gates": _judge_gates(train, free.weights, draws),
            "gates": _judge_gates(test, free.weights, draws),
        },
        "train_gates": _judge_gates(train, found.weights, draws),
        "gates": _judge_gates(test, found.weights, draws),
        "shipped_gates": _judge_gates(test, shipped, draws),
        "alignment": {
            "recalibrated": pearson((rows @ found.weights).tolist(), anchors),
            "shipped": pearson((rows @ shipped).tolist(), anchors),
            "permutation_p_of_shipped": permutation_p((rows @ shipped).tolist(), anchors),
            "smallest_p": 1 / math.factorial(len(anchors)),
        },
    }


def _judge_gates(values: ComponentValues, weights: Array, draws: int) -> dict[str, Any]:
    verdicts = judge(values.responses(sqrt, weights), draws=draws)
    not_passed = [v.gate for v in verdicts if v.status != PASS]
    return {"passed": count_passed(verdicts), "not_passed": not_passed, "verdicts": record_verdicts(verdicts)}
