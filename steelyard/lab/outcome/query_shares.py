"""Shares query by query, in every order and averaged, and the means of figures over queries.

If several engines or runs answered a query, their values are averaged first: they read the same sources, so counting
them as separate records would make an interval too narrow.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.outcome.experiment import has_order
from steelyard.lab.outcome.records.base import Outcome, SourceRecord
from steelyard.lab.stats.intervals import bootstrap_interval, percentile_interval
from steelyard.lab.stats.paired import paired_t

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
Query = tuple[str, str]  # its id and its words: two data sets may use the same ids

NOTHING_CITED = "cites nothing"
ORDER_MISSING = "lacks an order"
MEAN = "mean"  # shares averaged over the orders; an answer asked in one order has none
MIN_QUERIES = 8  # for an interval; resamples of fewer have too few different values


@dataclass(frozen=True)
class QueryShares:
    """The shares of one query's sources in one engine's answers, in the order of `sources`."""

    engine: str
    run: str
    query_id: str
    query: str
    arm: str
    sources: tuple[SourceRecord, ...]
    shown: Mapping[str, tuple[int, ...]]
    by_order: Mapping[str, tuple[float, ...]]
    target: int | None = None
    tags: tuple[str, ...] = ()

    @cached_property
    def mean(self) -> tuple[float, ...]:
        """The shares averaged over the orders."""
        return tuple(mean(column) for column in zip(*self.by_order.values(), strict=True))

    @property
    def group(self) -> str:
        """Engine and run: figures are given for each."""
        return f"{self.engine}, {self.run}" if self.run else self.engine

    @property
    def key(self) -> Query:
        """What tells its query from all others."""
        return self.query_id, self.query

    @property
    def first_shown(self) -> tuple[int, ...]:
        """The sources in the order of the first prompt."""
        return next(iter(self.shown.values()))


def compute_query_shares(outcomes: Iterable[Outcome], mode: str) -> tuple[list[QueryShares], dict[str, int]]:
    """Return every query of every arm that allocates in each order its engine and run were asked in.

    A query that cites nothing in one of the orders is left out completely: its average would be that of one order.

    Returns:
        The shares in the order of the records, and the number of answers left out by reason.
    """
    answers: dict[tuple[str, ...], dict[str, Outcome]] = {}
    orders: dict[tuple[str, str], dict[str, None]] = {}
    for outcome in outcomes:
        key = (outcome.dataset, outcome.engine, outcome.run, outcome.query_id, outcome.arm)
        answers.setdefault(key, {})[outcome.order] = outcome
        orders.setdefault((outcome.engine, outcome.run), {})[outcome.order] = None
    kept, excluded = [], Counter[str]()
    for by_order in answers.values():
        first = next(iter(by_order.values()))
        wanted = [order for order in orders[first.engine, first.run] if has_order(order, len(first.shown))]
        if any(order not in by_order for order in wanted):
            excluded[ORDER_MISSING] += 1
            continue
        shares = {order: s for order in wanted if (s := by_order[order].shares(mode)) is not None and any(s)}
        if len(shares) < len(wanted):
            excluded[NOTHING_CITED] += 1
            continue
        shown = {order: by_order[order].shown for order in wanted}
        kept.append(
            QueryShares(
                first.engine, first.run, first.query_id, first.query, first.arm, first.sources, shown,
                shares, first.target, first.tags,
            )
        )  # fmt: skip
    return kept, dict(excluded)


def group_pairs(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Group values by key, in the order of the first of each."""
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def list_orders_asked(records: Sequence[QueryShares]) -> tuple[str, ...]:
    """Return every order that an answer was asked in, each once."""
    return tuple(dict.fromkeys(order for v in records for order in v.by_order))


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """So many resamples, drawn by one generator, for the intervals of figures over queries."""

    draws: int
    rng: random.Random

    def interval(self, n: int, statistic: Callable[[Sequence[int]], float | None]) -> list[float | None] | None:
        """Return the interval of `statistic(indices)`; None for too few queries, or without draws."""
        if n < MIN_QUERIES or not self.draws:
            return None
        return list(bootstrap_interval(n, statistic, self.rng, self.draws))

    def interval_of_mean(self, values: Sequence[float]) -> list[float] | None:
        """Return the interval of a mean, the same as `interval` would."""
        n = len(values)
        if n < MIN_QUERIES or not self.draws:
            return None
        # Without a list of indices in between, which takes a third longer.
        return list(percentile_interval([mean(self.rng.choices(values, k=n)) for _ in range(self.draws)]))

    def average_queries(
        self, queries: Sequence[Query], values: Sequence[float | None], *, null: float = 0.0
    ) -> dict[str, Any]:
        """Return the mean over queries with its interval, and Student's t against `null`, two-sided.

        Values that are None are left out: `n` and `records` count the queries and records that have one.
        """
        by_query = group_pairs((q, value) for q, value in zip(queries, values, strict=True) if value is not None)
        means = [mean(of_query) for of_query in by_query.values()]
        test = paired_t([value - null for value in means])
        return {
            "n": len(means),
            "records": sum(map(len, by_query.values())),
            "mean": mean(means) if means else None,
            "interval": self.interval_of_mean(means),
            "t": test.statistic if test else None,
            "p": test.p if test else None,
        }
