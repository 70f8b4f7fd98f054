"""Anchors expire: what the levers do to citations now, in percentage points, beside what was published.

The published figures are gains relative to the target's own visibility. To be compared with a difference of shares
they are turned into points through the mean share of the untouched target.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.outcome.effects import AVERAGED, POOLED
from steelyard.lab.outcome.records.base import BASELINE
from steelyard.lab.outcome.visibility import Visible
from steelyard.lab.protocol.anchors import ANCHORS
from steelyard.lab.protocol.variants import LEVERS

POINTS = 100  # percentage points in a share of one
HOLDS, EXPIRED, REVERSED, OPEN = "holds", "expired", "reversed", "open"
MEANING = {
    HOLDS: "the interval lies above 0 and reaches the published gain",
    EXPIRED: "the interval lies under the published gain",
    REVERSED: "the interval lies under 0",
    OPEN: "the interval reaches from 0 or less to the published gain: too few queries to say",
}


def anchors(effects: Mapping[str, Any], kept: Sequence[Visible], dated: date, *, judged: bool = True) -> dict[str, Any]:
    """The modern anchor vector with its intervals, and for every lever whether the published one still stands.

    `judged` is False where an embedded reference answered: what it does says nothing about published effects.
    """
    untouched: dict[str, list[float]] = {}
    for v in kept:
        if v.arm == BASELINE and v.target is not None:
            untouched.setdefault(v.query_id, []).append(v.mean[v.target])
    share = mean([mean(of_query) for of_query in untouched.values()]) if untouched else None
    levers = {}
    for lever in LEVERS:
        row = effects[POOLED].get(lever, {}).get(AVERAGED, {"n": 0})
        published = ANCHORS[lever] / 100 * share * POINTS if share else None  # of no share no gain can be had
        interval = row.get("interval")
        points = [x * POINTS for x in interval] if interval else None
        levers[lever] = {
            "n": row["n"],
            "points": None if not row["n"] else row["mean"] * POINTS,
            "interval": points,
            "published_percent": ANCHORS[lever],
            "published_points": published,
            "verdict": verdict(points, published) if judged else None,
        }
    return {
        "dated": dated.isoformat(),
        "judged": judged,
        "baseline_share": share,
        "baseline_queries": len(untouched),
        "order": list(LEVERS),
        "levers": levers,
    }


def verdict(interval: Sequence[float] | None, published: float | None) -> str | None:
    """None where there is no interval to judge by."""
    if interval is None or published is None:
        return None
    low, high = interval
    if high < 0:
        return REVERSED
    if high < published:
        return EXPIRED
    return HOLDS if low > 0 else OPEN


def vector(found: Mapping[str, Any]) -> list[float] | None:
    """The modern anchors in the order of the levers, if there is one for each."""
    points = [found["levers"][lever]["points"] for lever in LEVERS]
    return None if any(p is None for p in points) else points
