"""Shares of one query under one arm, in every order and averaged; and how many answers were left out, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.outcome.orders import fits
from steelyard.lab.outcome.records.base import Candidate, Outcome

NOTHING_CITED = "cites nothing"
ORDER_MISSING = "lacks an order"


@dataclass(frozen=True)
class Visible:
    """One engine's allocation over one query's sources, in the order of `sources`; `mean` is over the orders."""

    engine: str
    run: str
    query_id: str
    query: str
    arm: str
    sources: tuple[Candidate, ...]
    shown: Mapping[str, tuple[int, ...]]
    by_order: Mapping[str, tuple[float, ...]]
    mean: tuple[float, ...]
    target: int | None = None
    tags: tuple[str, ...] = ()

    @property
    def group(self) -> str:
        """Engine and run, by which figures are given apart."""
        return f"{self.engine}, {self.run}" if self.run else self.engine


@dataclass(frozen=True)
class Visibility:
    """What can be used, in the order of the records, and the answers that cannot, counted by reason."""

    kept: tuple[Visible, ...]
    excluded: Mapping[str, int]
    mode: str

    @property
    def groups(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(v.group for v in self.kept))

    def of(self, group: str) -> list[Visible]:
        return [v for v in self.kept if v.group == group]


def visibility(outcomes: Iterable[Outcome], mode: str) -> Visibility:
    """Every query of every arm that allocates in each order its engine and run were asked in.

    A query that cites nothing in one of the orders is left out whole: its average would be that of one order.
    """
    asked: dict[tuple[str, ...], dict[str, Outcome]] = {}
    orders: dict[tuple[str, str], dict[str, None]] = {}
    for outcome in outcomes:
        key = (outcome.dataset, outcome.engine, outcome.run, outcome.query_id, outcome.arm)
        asked.setdefault(key, {})[outcome.order] = outcome
        orders.setdefault((outcome.engine, outcome.run), {})[outcome.order] = None
    kept, excluded = [], Counter[str]()
    for by_order in asked.values():
        first = next(iter(by_order.values()))
        wanted = [order for order in orders[first.engine, first.run] if fits(order, len(first.shown))]
        if any(order not in by_order for order in wanted):
            excluded[ORDER_MISSING] += 1
            continue
        found = {order: by_order[order].shares(mode) for order in wanted}
        shares = {order: s for order, s in found.items() if s is not None and any(s)}
        if len(shares) < len(found):
            excluded[NOTHING_CITED] += 1
            continue
        kept.append(
            Visible(
                first.engine,
                first.run,
                first.query_id,
                first.query,
                first.arm,
                first.sources,
                {order: by_order[order].shown for order in wanted},
                shares,
                tuple(mean(column) for column in zip(*shares.values(), strict=True)),
                first.target,
                first.tags,
            )
        )
    return Visibility(tuple(kept), dict(excluded), mode)
