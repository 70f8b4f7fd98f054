"""The shares of one query under one arm, in every order and averaged; and how many answers were left out, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.outcome.experiment import has_order
from steelyard.lab.outcome.records.base import Outcome, SourceRecord

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
NOTHING_CITED = "cites nothing"
ORDER_MISSING = "lacks an order"


@dataclass(frozen=True)
class QueryShares:
    """The shares of one query's sources in one engine's answers, in the order of `sources`; `mean` is over orders."""

    engine: str
    run: str
    query_id: str
    query: str
    arm: str
    sources: tuple[SourceRecord, ...]
    shown: Mapping[str, tuple[int, ...]]
    by_order: Mapping[str, tuple[float, ...]]
    mean: tuple[float, ...]
    target: int | None = None
    tags: tuple[str, ...] = ()

    @property
    def group(self) -> str:
        """Engine and run: figures are given for each."""
        return f"{self.engine}, {self.run}" if self.run else self.engine

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
        found = {order: by_order[order].shares(mode) for order in wanted}
        shares = {order: s for order, s in found.items() if s is not None and any(s)}
        if len(shares) < len(found):
            excluded[NOTHING_CITED] += 1
            continue
        shown = {order: by_order[order].shown for order in wanted}
        average = tuple(mean(column) for column in zip(*shares.values(), strict=True))
        kept.append(
            QueryShares(
                first.engine, first.run, first.query_id, first.query, first.arm, first.sources, shown,
                shares, average, first.target, first.tags,
            )
        )  # fmt: skip
    return kept, dict(excluded)


def group_pairs(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Group values by key, in the order of the first of each."""
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups
