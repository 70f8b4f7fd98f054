"""Rewrites of a page by a language model: the target's share after each, beside two answers without any.

Not volume-controlled: a rewrite changes length, order and words at once. The two baselines say how much a share moves
when nothing changes, and a regression to the mean would show as a difference between them.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.outcome.effects import summary
from steelyard.lab.outcome.records.b2b import FALLBACK, Rewrite
from steelyard.lab.stats.paired import bonferroni
from steelyard.lab.stats.summary import deviation

FIRST, SECOND, BOTH = "first", "second", "both"


def rewrites(rows: Sequence[Rewrite], *, draws: int = 1000, seed: int = 0) -> dict[str, Any]:
    """Every method against either baseline and their mean; whole, and without rows that may be no measurement."""
    methods = list(dict.fromkeys(r.method for r in rows))
    sound = [r for r in rows if r.words and r.share != FALLBACK and FALLBACK not in r.baselines]
    return {
        "rows": len(rows),
        "queries": len({r.query_id for r in rows}),
        "order": methods,
        "noise": _noise(rows, draws=draws, seed=seed),
        "methods": _methods(rows, methods, draws=draws, seed=seed),
        "sound_rows": len(sound),
        "sound": _methods(sound, methods, draws=draws, seed=seed),
    }


def _noise(rows: Sequence[Rewrite], *, draws: int, seed: int) -> dict[str, Any]:
    """The two baselines of every query against each other: what is no effect of anything."""
    both = list({r.query_id: r.baselines for r in rows}.values())
    differences = [b[1] - b[0] for b in both]
    return {
        **summary(differences, draws=draws, rng=random.Random(f"{seed}|noise")),
        "sd": deviation(differences) if len(differences) > 1 else None,
        "mean_absolute": mean([abs(d) for d in differences]) if differences else None,
    }


def _methods(rows: Sequence[Rewrite], methods: Sequence[str], *, draws: int, seed: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for method in methods:
        mine = [r for r in rows if r.method == method]
        against = {
            BOTH: [r.share - mean(r.baselines) for r in mine],
            FIRST: [r.share - r.baselines[0] for r in mine],
            SECOND: [r.share - r.baselines[-1] for r in mine],
        }
        found[method] = {
            name: summary(values, draws=draws, rng=random.Random(f"{seed}|{method}|{name}"))
            for name, values in against.items()
        }
        found[method]["words"] = mean([r.words for r in mine]) if mine else None
    asked = [m for m in methods if found[m][BOTH].get("t_p") is not None]
    for method, p in zip(asked, bonferroni([found[m][BOTH]["t_p"] for m in asked]), strict=True):
        found[method][BOTH]["t_p_bonferroni"] = p
    return found
