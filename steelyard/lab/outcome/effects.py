"""What an edit does to the target's visibility: paired with as much neutral filler, query by query.

The effect is (lever − baseline) − (filler − baseline), in which the baseline cancels: the share of the target with the
lever less its share with the filler, averaged over the orders in which both were asked.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.outcome.arms import CONTROL
from steelyard.lab.outcome.records.base import BASELINE
from steelyard.lab.outcome.visibility import Visible
from steelyard.lab.protocol.variants import LEVERS
from steelyard.lab.stats.bootstrap import interval
from steelyard.lab.stats.intervals import sign_test
from steelyard.lab.stats.paired import bonferroni, paired_t, wilcoxon

POOLED = "pooled"
AVERAGED = "averaged"
FEWEST = 8  # pairs from which an interval is given
DIGITS = 12  # of a difference of shares: what is left of 0.2 - 0.1 + 0.5 - 0.6 is neither up nor down
RUNNING = (10, 20, 41, 50, 100, 150, 200, 300, 400, 600, 800, 1000, 1500)  # 41: the paper's interim look


@dataclass(frozen=True)
class Pair:
    """One query's difference between two arms, in every order and averaged."""

    group: str
    query_id: str
    by_order: Mapping[str, float]

    @property
    def averaged(self) -> float:
        return mean(list(self.by_order.values()))


def pairs(kept: Sequence[Visible], arm: str, against: str = CONTROL) -> list[Pair]:
    """The target's share under `arm` less its share under `against`, for every query that has both in one order."""
    found: dict[tuple[str, str], dict[str, Visible]] = {}
    for v in kept:
        found.setdefault((v.group, v.query_id), {})[v.arm] = v
    every = []
    for (group, query), arms in found.items():
        one, other = arms.get(arm), arms.get(against)
        if one is not None and other is not None and one.target is not None:
            place = one.target
            orders = {o: s[place] - other.by_order[o][place] for o, s in one.by_order.items() if o in other.by_order}
            if orders:
                every.append(Pair(group, query, orders))
    return every


def by_query(every: Sequence[Pair]) -> list[Pair]:
    """One pair for a query, averaged over engines: what several engines say of one query is not said independently."""
    found: dict[str, list[Pair]] = {}
    for pair in every:
        found.setdefault(pair.query_id, []).append(pair)
    merged = []
    for query, same in found.items():
        orders = dict.fromkeys(order for pair in same for order in pair.by_order)
        means = {o: mean([p.by_order[o] for p in same if o in p.by_order]) for o in orders}
        merged.append(Pair(POOLED, query, means))
    return merged


def summary(differences: Sequence[float], *, draws: int, rng: random.Random) -> dict[str, Any]:
    """Mean, bootstrap interval, sign test, t and Wilcoxon of differences; what is undefined is None."""
    n = len(differences)
    if not n:
        return {"n": 0}
    differences = [round(d, DIGITS) for d in differences]
    found: dict[str, Any] = {"n": n, "mean": mean(differences)}
    if n >= FEWEST and draws:
        # As `bootstrap` draws them, without a list of places in between: it takes two thirds of the time.
        found["interval"] = list(interval([mean(rng.choices(differences, k=n)) for _ in range(draws)]))
    else:
        found["interval"] = None
    up, down = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    t, w = paired_t(differences), wilcoxon(differences)
    found |= {
        "up": up, "down": down, "same": n - up - down, "sign_p": sign_test(up, down),
        "t": None if t is None else t.statistic, "t_p": None if t is None else t.p,
        "wilcoxon_p": None if w is None else w.p,
    }  # fmt: skip
    return found


def effects(
    kept: Sequence[Visible], *, levers: Sequence[str] = LEVERS, against: str = CONTROL, draws: int = 1000, seed: int = 0
) -> dict[str, Any]:
    """Every lever per engine and pooled; t is corrected for the number of levers tested together."""
    groups = list(dict.fromkeys(v.group for v in kept))
    tested = [lever for lever in levers if any(v.arm == lever for v in kept)]
    known: dict[tuple[str, tuple[float, ...]], dict[str, Any]] = {}

    def figures(lever: str, differences: Sequence[float]) -> dict[str, Any]:
        """Equal differences have equal figures: one engine and the pool, one order and the average."""
        key = lever, tuple(differences)
        if key not in known:
            known[key] = summary(differences, draws=draws, rng=random.Random(f"{seed}|{lever}"))
        return dict(known[key])

    def levers_of(inside: Sequence[Visible]) -> dict[str, Any]:
        queries = {v.query_id for v in inside}
        rows = {lever: _lever(by_query(pairs(inside, lever, against)), partial(figures, lever)) for lever in tested}
        for row in rows.values():
            row["left_out"] = len(queries) - row[AVERAGED]["n"]
        _correct([row[AVERAGED] for row in rows.values()])
        return rows

    return {
        "order": tested,
        "groups_order": groups,
        "orders_order": list(dict.fromkeys(order for v in kept for order in v.by_order)),
        "against": against,
        "groups": {group: levers_of([v for v in kept if v.group == group]) for group in groups},
        POOLED: levers_of(kept),
    }


def _lever(every: Sequence[Pair], figures: Callable[[Sequence[float]], dict[str, Any]]) -> dict[str, Any]:
    orders = list(dict.fromkeys(o for pair in every for o in pair.by_order))
    averaged = [pair.averaged for pair in every]
    return {
        AVERAGED: figures(averaged),
        "orders": {order: figures([p.by_order[order] for p in every if order in p.by_order]) for order in orders},
        "running": [{"n": n, "mean": mean(averaged[:n])} for n in RUNNING if n <= len(averaged)],
    }


def _correct(rows: Sequence[dict[str, Any]]) -> None:
    defined = [row for row in rows if row.get("t_p") is not None]
    for row, p in zip(defined, bonferroni([row["t_p"] for row in defined]), strict=True):
        row["t_p_bonferroni"] = p


def changes(kept: Sequence[Visible], *, draws: int, seed: int) -> dict[str, Any]:
    """What filler alone does to the target, against the untouched page: how much length is worth."""
    averaged = [p.averaged for p in by_query(pairs(kept, CONTROL, BASELINE))]
    return summary(averaged, draws=draws, rng=random.Random(f"{seed}|length"))
