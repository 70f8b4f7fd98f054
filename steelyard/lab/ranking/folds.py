"""Folds over queries. A fold knows queries and nothing else, so that a split which shares one cannot be written.

What an engine cites for a query says much about what another one cites for it: data split by record lets a model look
its answers up. `audit.py` alone splits that way, to show how much it would gain.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from steelyard.errors import SteelyardError
from steelyard.lab.ranking.dataset import Dataset, Group
from steelyard.support.wording import counted

FOLDS = 5


class TooFewQueries(SteelyardError):
    def __init__(self, found: int, wanted: int) -> None:
        super().__init__(
            f"undefined: {counted(found, 'query', 'queries')}; {wanted} folds over queries need {wanted} or more"
        )


@dataclass(frozen=True, slots=True)
class QueryFold:
    """The queries that are tested; all others train. There is no other way to make one."""

    held_out: frozenset[str]

    def train(self, data: Dataset) -> list[Group]:
        return [g for g in data.groups if g.query_id not in self.held_out]

    def test(self, data: Dataset) -> list[Group]:
        return [g for g in data.groups if g.query_id in self.held_out]


def query_folds(queries: Iterable[str], *, folds: int = FOLDS, seed: int = 0) -> tuple[QueryFold, ...]:
    """Every query in one fold, in the order of their hashes with the seed: the order of the data does not matter."""
    ordered = sorted(
        set(queries), key=lambda q: (hashlib.sha256(f"{seed}|{q}".encode("utf-8", "surrogatepass")).digest(), q)
    )
    if len(ordered) < folds:
        raise TooFewQueries(len(ordered), folds)
    return tuple(QueryFold(frozenset(ordered[k::folds])) for k in range(folds))
