"""What an edit does to the target's visibility: paired with as much neutral filler, query by query.

The effect is (lever − baseline) − (filler − baseline), in which the baseline cancels: the share of the target with the
lever less its share with the filler, averaged over the orders in which both were asked.

Rewrites of a page by a language model are compared with two answers without any. They are not volume-controlled: a
rewrite changes length, order and words at once. The two baselines show how much a share moves when nothing changes, and
a regression to the mean would show as a difference between them.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from functools import cache
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.outcome.arms import CONTROL
from steelyard.lab.outcome.query_shares import Bootstrap, QueryShares
from steelyard.lab.outcome.records.b2b import FALLBACK, Rewrite
from steelyard.lab.outcome.records.base import BASELINE
from steelyard.lab.protocol.variants import LEVERS
from steelyard.lab.stats.intervals import standard_deviation
from steelyard.lab.stats.paired import bonferroni, paired_t, sign_test, student_quantile, wilcoxon

POOLED = "pooled"
AVERAGED = "averaged"
FIRST, SECOND, BOTH = "first", "second", "both"  # baselines of a rewrite
ALPHA = 0.05  # of all intervals together
DIGITS = 12  # of a difference of shares: what is left of 0.2 - 0.1 + 0.5 - 0.6 is neither up nor down
RUNNING_SIZES = (10, 20, 41, 50, 100, 150, 200, 300, 400, 600, 800, 1000, 1500)  # 41: the paper's interim analysis


def pair_arms(kept: Sequence[QueryShares], arm: str, against: str = CONTROL) -> list[dict[str, float]]:
    """Return by order the target's share under `arm` less that under `against`, for every query with both in one order.

    A query's differences are averaged over engines, because what several engines say of one query is not independent.
    """
    arms: dict[tuple[str, str], dict[str, QueryShares]] = {}
    for v in kept:
        arms.setdefault((v.group, v.query_id), {})[v.arm] = v
    differences: dict[str, dict[str, list[float]]] = {}  # by query and order
    for (_, query), by_arm in arms.items():
        edited, control = by_arm.get(arm), by_arm.get(against)
        if edited is not None and control is not None and edited.target is not None:
            for order, shares in edited.by_order.items():
                if order in control.by_order:
                    difference = shares[edited.target] - control.by_order[order][edited.target]
                    differences.setdefault(query, {}).setdefault(order, []).append(difference)
    return [{order: mean(values) for order, values in by_order.items()} for by_order in differences.values()]


def summarize_differences(differences: Sequence[float], *, draws: int, rng: random.Random) -> dict[str, Any]:
    """Return mean, bootstrap interval, sign test, t and Wilcoxon of differences; undefined figures are None."""
    n = len(differences)
    if not n:
        return {"n": 0}
    differences = [round(d, DIGITS) for d in differences]
    up, down = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    t, w = paired_t(differences), wilcoxon(differences)
    return {
        "n": n, "mean": mean(differences), "interval": Bootstrap(draws, rng).interval_of_mean(differences),
        "standard_error": None if t is None else standard_deviation(differences) / math.sqrt(n),
        "up": up, "down": down, "same": n - up - down, "sign_p": sign_test(up, down),
        "t": None if t is None else t.statistic, "t_p": None if t is None else t.p,
        "wilcoxon_p": None if w is None else w.p,
    }  # fmt: skip


def correct_together(rows: Sequence[dict[str, Any]]) -> None:
    """Add t's p-value and interval, corrected for the number of rows tested together.

    Bonferroni's correction, because it has an interval: this one leaves out 0 exactly where the corrected p is below
    5%, and answers every other question about size in the same breath. Holm's would reject more and has none.
    """
    defined = [row for row in rows if row.get("t_p") is not None]
    for row, p in zip(defined, bonferroni([row["t_p"] for row in defined]), strict=True):
        row["t_p_bonferroni"] = p
        half = student_quantile(1 - ALPHA / 2 / len(defined), row["n"] - 1) * row["standard_error"]
        row["interval_bonferroni"] = [row["mean"] - half, row["mean"] + half]


def measure_effects(
    kept: Sequence[QueryShares],
    *,
    levers: Sequence[str] = LEVERS,
    against: str = CONTROL,
    draws: int = 1000,
    seed: int = 0,
) -> dict[str, Any]:
    """Measure every lever per engine and pooled; t is corrected for the number of levers tested together."""
    groups = list(dict.fromkeys(v.group for v in kept))
    tested = [lever for lever in levers if any(v.arm == lever for v in kept)]

    @cache
    def summarize(lever: str, *differences: float) -> dict[str, Any]:
        """Compute equal differences once: one engine and the pool, one order and the average."""
        return summarize_differences(differences, draws=draws, rng=random.Random(f"{seed}|{lever}"))

    def measure_lever(inside: Sequence[QueryShares], lever: str) -> dict[str, Any]:
        paired = pair_arms(inside, lever, against)
        orders = dict.fromkeys(order for by_order in paired for order in by_order)
        averaged = [mean(list(by_order.values())) for by_order in paired]
        return {
            AVERAGED: dict(summarize(lever, *averaged)),  # a copy, to which the corrected p is added
            "orders": {o: summarize(lever, *(by_order[o] for by_order in paired if o in by_order)) for o in orders},
            "running": [{"n": n, "mean": mean(averaged[:n])} for n in RUNNING_SIZES if n <= len(averaged)],
            "left_out": len({v.query_id for v in inside}) - len(paired),
        }

    def measure_levers(inside: Sequence[QueryShares]) -> dict[str, Any]:
        rows = {lever: measure_lever(inside, lever) for lever in tested}
        correct_together([row[AVERAGED] for row in rows.values()])
        return rows

    return {
        "order": tested,
        "groups_order": groups,
        "orders_order": list(dict.fromkeys(order for v in kept for order in v.by_order)),
        "against": against,
        "groups": {group: measure_levers([v for v in kept if v.group == group]) for group in groups},
        POOLED: measure_levers(kept),
    }


def measure_filler(kept: Sequence[QueryShares], *, draws: int, seed: int) -> dict[str, Any]:
    """Measure what filler alone does to the target, against the untouched page: how much length is worth."""
    averaged = [mean(list(by_order.values())) for by_order in pair_arms(kept, CONTROL, BASELINE)]
    return summarize_differences(averaged, draws=draws, rng=random.Random(f"{seed}|length"))


def measure_rewrites(rows: Sequence[Rewrite], *, draws: int = 1000, seed: int = 0) -> dict[str, Any]:
    """Compare every method with either baseline and their mean; with all rows, and without doubtful measurements."""
    methods = list(dict.fromkeys(r.method for r in rows))
    sound = [r for r in rows if r.words and r.share != FALLBACK and FALLBACK not in r.baselines]
    # The two baselines of a query against each other: a difference that is no effect of anything.
    noise = [second - first for first, second in {r.query_id: r.baselines for r in rows}.values()]
    return {
        "rows": len(rows),
        "queries": len({r.query_id for r in rows}),
        "order": methods,
        "noise": {
            **summarize_differences(noise, draws=draws, rng=random.Random(f"{seed}|noise")),
            "sd": standard_deviation(noise) if len(noise) > 1 else None,
            "mean_absolute": mean([abs(d) for d in noise]) if noise else None,
        },
        "methods": _measure_methods(rows, methods, draws=draws, seed=seed),
        "sound_rows": len(sound),
        "sound": _measure_methods(sound, methods, draws=draws, seed=seed),
    }


def _measure_methods(rows: Sequence[Rewrite], methods: Sequence[str], *, draws: int, seed: int) -> dict[str, Any]:
    by_method: dict[str, Any] = {}
    for method in methods:
        of_method = [r for r in rows if r.method == method]
        differences = {
            BOTH: [r.share - mean(r.baselines) for r in of_method],
            FIRST: [r.share - r.baselines[0] for r in of_method],
            SECOND: [r.share - r.baselines[1] for r in of_method],
        }
        by_method[method] = {
            name: summarize_differences(values, draws=draws, rng=random.Random(f"{seed}|{method}|{name}"))
            for name, values in differences.items()
        }
        by_method[method]["words"] = mean([r.words for r in of_method]) if of_method else None
    correct_together([row[BOTH] for row in by_method.values()])
    return by_method
