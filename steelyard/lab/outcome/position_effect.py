"""The position effect: how much of a source's share is its place in the prompt.

Forward and reversed order together remove from the averaged share whatever falls evenly from place to place. An effect
that is larger at both ends remains; no rank correlation with the place shows it, but `explained` does.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.outcome.query_shares import MEAN, Bootstrap, Query, QueryShares, list_orders_asked
from steelyard.lab.stats.correlation import spearman
from steelyard.support.artifacts import mark_undefined

Row = Sequence[float]  # the shares of one answer by place


def measure_position(records: Sequence[QueryShares], bootstrap: Bootstrap) -> dict[str, Any]:
    """Return by order the mean share at every place, its rank correlation with the place, and the variance explained.

    `mean` is the share averaged over orders by its place in the first; `at_place` the mean over orders of whatever
    was at a place.
    """
    if not records:
        return mark_undefined("no answers")
    several = [v for v in records if len(v.by_order) > 1]
    rows = {
        order: [(v.key, [v.by_order[order][i] for i in v.shown[order]]) for v in records if order in v.shown]
        for order in list_orders_asked(records)
    }
    if several:
        rows[MEAN] = [(v.key, [v.mean[i] for i in v.first_shown]) for v in several]
    effects = {order: _measure_order(of_order, bootstrap) for order, of_order in rows.items()}
    between = _compare_orders(several, bootstrap) if several else mark_undefined("asked in one order only")
    return {
        "records": len(records),
        "readings": list(effects),
        "counterbalanced": bool(several) and all(map(is_counterbalanced, several)),
        "by_order": effects,
        "at_place": _mean_by_place([_average_places(v) for v in records]),
        "between_orders": between,
    }


def is_counterbalanced(record: QueryShares) -> bool:
    """Return whether every source was, on average over the orders, at the same place."""
    sums = {sum(shown.index(source) for shown in record.shown.values()) for source in record.first_shown}
    return len(sums) == 1 and len(record.shown) > 1


def _average_places(record: QueryShares) -> Row:
    rows = [[shares[i] for i in record.shown[order]] for order, shares in record.by_order.items()]
    return [mean(column) for column in zip(*rows, strict=True)]


def _measure_order(rows: Sequence[tuple[Query, Row]], bootstrap: Bootstrap) -> dict[str, Any]:
    values = [spearman(row, [-float(place) for place in range(len(row))]) for _, row in rows]
    shares = [row for _, row in rows]
    return {
        "shares": _mean_by_place(shares),
        "spearman": bootstrap.average_queries([query for query, _ in rows], values),
        "explained": explain_variance(shares),
    }


def _mean_by_place(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the mean share at every place, over the answers that have so many sources."""
    return [
        {"place": place, "n": len(column), "mean": mean(column)} for place, column in enumerate(_columns(rows), start=1)
    ]


def _columns(rows: Sequence[Row]) -> list[list[float]]:
    longest = max(map(len, rows), default=0)
    return [[row[place] for row in rows if place < len(row)] for place in range(longest)]


def explain_variance(rows: Sequence[Row]) -> float | None:
    """Return the share of the variance within answers that the means by place account for, less what chance would.

    It is adjusted for as many means as there are places, so that it is about 0 without an effect; None for too few
    answers.
    """
    centred = [[share - mean(row) for share in row] for row in rows if row and min(row) < max(row)]
    columns = _columns(centred)
    freedom = sum(len(row) - 1 for row in centred)
    left = freedom - (len(columns) - 1)
    if not centred or left < 1:
        return None
    between = math.fsum(len(column) * mean(column) ** 2 for column in columns)
    total = math.fsum(d * d for row in centred for d in row)
    return 1 - max(0.0, 1 - between / total) * freedom / left


def _compare_orders(records: Sequence[QueryShares], bootstrap: Bootstrap) -> dict[str, Any]:
    """Correlate the shares of the same sources in two orders; for more orders take the mean over their pairs."""
    values: list[float | None] = []
    for v in records:
        rows = [[shares[i] for i in v.first_shown] for shares in v.by_order.values()]
        defined = [r for one, other in itertools.combinations(rows, 2) if (r := spearman(one, other)) is not None]
        values.append(mean(defined) if defined else None)
    return bootstrap.average_queries([v.key for v in records], values)
