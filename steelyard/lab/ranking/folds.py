"""Folds over queries. A fold knows queries and nothing else, so that no split can put one query on both sides.

What one engine cites for a query says much about what another engine cites for it: a model trained on data split by
record can look its answers up. Only `leakage.py` splits by record, to show how much that would gain.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from steelyard.errors import SteelyardError
from steelyard.lab.ranking.dataset import Dataset
from steelyard.support.formatting import format_count

FOLDS = 5


@dataclass(frozen=True, slots=True)
class QueryFold:
    """The queries that are tested; all others are trained on."""

    held_out: frozenset[str]

    def train(self, data: Dataset) -> list[int]:
        """Return the numbers of the groups to train on."""
        return [i for i, g in enumerate(data.groups) if g.query_id not in self.held_out]

    def test(self, data: Dataset) -> list[int]:
        """Return the numbers of the groups to test on."""
        return [i for i, g in enumerate(data.groups) if g.query_id in self.held_out]


def make_query_folds(queries: Iterable[str], *, folds: int = FOLDS, seed: int = 0) -> tuple[QueryFold, ...]:
    """Put every query in one fold, in the order of their hashes with the seed: the order of the data does not matter.

    Raises:
        SteelyardError: There are fewer queries than folds.
    """
    ordered = sorted(
        set(queries), key=lambda q: (hashlib.sha256(f"{seed}|{q}".encode("utf-8", "surrogatepass")).digest(), q)
    )
    if len(ordered) < folds:
        known = format_count(len(ordered), "query", "queries")
        raise SteelyardError(f"undefined: {known}; {folds} folds over queries need {folds} or more")
    return tuple(QueryFold(frozenset(ordered[k::folds])) for k in range(folds))
