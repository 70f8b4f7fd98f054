"""Ranking data: for every query and engine the candidates, and how visible each one was; and folds over the queries.

A fold knows queries and nothing else, so that no split can put one query on both sides. What one engine cites for a
query says much about what another engine cites for it: a model trained on data split by record can look its answers up.
Only `leakage.py` splits by record, to show how much that would gain.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from steelyard.errors import SteelyardError
from steelyard.support.formatting import format_count
from steelyard.support.quantile import quantile

FOLDS = 5
MIN_MEDIAN_WORDS = 150  # of the median candidate; below that, content says nothing


@dataclass(frozen=True, slots=True)
class Candidate:
    """One source of a query.

    `position` is where the engine saw it, from 1: a leak, never a feature. `relevance` is a model's judgement that came
    with the record, if there was one.
    """

    key: str
    text: str
    title: str = ""
    position: float | None = None
    relevance: float | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """One engine's answer to one query: `visibility[i]` is the share of `candidates[i]`."""

    query_id: str
    query: str
    engine: str
    candidates: tuple[Candidate, ...]
    visibility: tuple[float, ...]
    tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.candidates) != len(self.visibility):
            raise ValueError(f"{len(self.candidates)} candidates and {len(self.visibility)} shares")

    @property
    def has_order(self) -> bool:
        """Whether the candidates differ in visibility, so that there is an order to predict."""
        return len(set(self.visibility)) > 1


@dataclass(frozen=True)
class Dataset:
    """Groups that can be ranked, and how many records were left out, by reason."""

    name: str
    groups: tuple[Group, ...]
    excluded: dict[str, int]
    inputs: dict[str, str]  # file name → SHA-256

    @property
    def queries(self) -> tuple[str, ...]:
        """Every query once, in the order of the data."""
        return tuple(dict.fromkeys(g.query_id for g in self.groups))

    @property
    def engines(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(g.engine for g in self.groups))

    @property
    def median_words(self) -> float:
        return quantile([len(c.text.split()) for g in self.groups for c in g.candidates] or [0], 0.5)

    @property
    def has_positions(self) -> bool:
        """Whether the data say where engines saw their sources."""
        return any(c.position is not None for g in self.groups for c in g.candidates)

    @property
    def content_undefined(self) -> str | None:
        """Why content features are undefined here; None if they are defined."""
        words = self.median_words
        if words >= MIN_MEDIAN_WORDS:
            return None
        return f"snippets: the median source has {words:g} words of {MIN_MEDIAN_WORDS}"


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


def make_query_folds(queries: Iterable[str], *, seed: int) -> tuple[QueryFold, ...]:
    """Put every query in one fold, in the order of their hashes with the seed: the order of the data does not matter.

    Raises:
        SteelyardError: There are fewer queries than folds.
    """
    ordered = sorted(
        set(queries), key=lambda q: (hashlib.sha256(f"{seed}|{q}".encode("utf-8", "surrogatepass")).digest(), q)
    )
    if len(ordered) < FOLDS:
        number = format_count(len(ordered), "query", "queries")
        raise SteelyardError(f"undefined: {number}; {FOLDS} folds over queries need {FOLDS} or more")
    return tuple(QueryFold(frozenset(ordered[k::FOLDS])) for k in range(FOLDS))
