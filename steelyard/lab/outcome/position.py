"""The position effect: how much of a source's share is its place in the prompt.

Forward and reversed order together take out of the averaged share whatever falls evenly from place to place; an effect
that is larger at both ends stays, as a bow that no rank correlation with the place shows. `explained` shows it.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.outcome.agreement import MEAN, Query, figure, orders_of, query_of
from steelyard.lab.outcome.visibility import Visible
from steelyard.lab.stats.correlation import spearman
from steelyard.support.artifacts import undefined

Row = Sequence[float]  # the shares of one answer by place


def position(records: Sequence[Visible], *, draws: int, rng: random.Random) -> dict[str, Any]:
    """By order: mean share at every place, rank correlation with it (first is best), variance within queries explained.

    `mean` is the share averaged over orders by its place in the first; `at_place` the mean over orders of whatever
    stood at a place.
    """
    if not records:
        return undefined("no answers")
    orders = orders_of(records)
    several = [v for v in records if len(v.by_order) > 1]
    effects = {order: _effect(_in_order(records, order), draws, rng) for order in orders}
    if several:
        effects[MEAN] = _effect([(query_of(v), [v.mean[i] for i in _first(v)]) for v in several], draws, rng)
    return {
        "records": len(records),
        "readings": list(effects),
        "counterbalanced": bool(several) and all(map(counterbalanced, several)),
        "by_order": effects,
        "at_place": _means([_at_place(v) for v in records]),
        "between_orders": _between(several, draws, rng) if several else undefined("asked in one order only"),
    }


def counterbalanced(visible: Visible) -> bool:
    """Whether every source stood, on average over the orders, at the same place."""
    places = {source: [shown.index(source) for shown in visible.shown.values()] for source in _first(visible)}
    return len({sum(of_source) for of_source in places.values()}) == 1 and len(visible.shown) > 1


def _first(visible: Visible) -> tuple[int, ...]:
    """The sources in the order of the first prompt."""
    return next(iter(visible.shown.values()))


def _in_order(records: Sequence[Visible], order: str) -> list[tuple[Query, Row]]:
    return [(query_of(v), [v.by_order[order][i] for i in v.shown[order]]) for v in records if order in v.shown]


def _at_place(visible: Visible) -> Row:
    rows = [[shares[i] for i in visible.shown[order]] for order, shares in visible.by_order.items()]
    return [mean(column) for column in zip(*rows, strict=True)]


def _effect(rows: Sequence[tuple[Query, Row]], draws: int, rng: random.Random) -> dict[str, Any]:
    values = [spearman(row, [-float(place) for place in range(len(row))]) for _, row in rows]
    shares = [row for _, row in rows]
    return {
        "shares": _means(shares),
        "spearman": figure([query for query, _ in rows], values, draws=draws, rng=rng),
        "explained": explained(shares),
    }


def _means(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The mean share at every place, over the answers that have so many sources."""
    return [{"place": place, "n": len(of), "mean": mean(of)} for place, of in enumerate(_columns(rows), start=1)]


def _columns(rows: Sequence[Row]) -> list[list[float]]:
    longest = max(map(len, rows), default=0)
    return [[row[place] for row in rows if place < len(row)] for place in range(longest)]


def explained(rows: Sequence[Row]) -> float | None:
    """The share of the variance within answers that the means by place account for, less what they would by chance.

    Adjusted for as many means as there are places, so that it is about 0 without an effect; None of too few answers.
    """
    centred = [[share - mean(row) for share in row] for row in rows if row and min(row) < max(row)]
    columns = _columns(centred)
    freedom = sum(len(row) - 1 for row in centred)
    left = freedom - (len(columns) - 1)
    if not centred or left < 1:
        return None
    between = math.fsum(len(of) * mean(of) ** 2 for of in columns)
    total = math.fsum(d * d for row in centred for d in row)
    return 1 - max(0.0, 1 - between / total) * freedom / left


def _between(records: Sequence[Visible], draws: int, rng: random.Random) -> dict[str, Any]:
    """How alike the shares of the same sources are in two orders; of more orders the mean over their pairs."""
    values: list[float | None] = []
    for v in records:
        rows = [[shares[i] for i in _first(v)] for shares in v.by_order.values()]
        found = [r for one, other in itertools.combinations(rows, 2) if (r := spearman(one, other)) is not None]
        values.append(mean(found) if found else None)
    return figure([query_of(v) for v in records], values, draws=draws, rng=rng)
