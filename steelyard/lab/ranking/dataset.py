"""Ranking data: for every query and engine the candidates, and how visible each was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.lab.stats.summary import quantile

LEAST_WORDS = 150  # of the median candidate, from which content says something


@dataclass(frozen=True, slots=True)
class Candidate:
    """One source of a query. `position` is its place where the engine saw it (from 1): a leak, never a feature.

    `relevance` is a model's judgement that came with the record, where there is one.
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
    def varied(self) -> bool:
        """Whether there is an order to be predicted."""
        return len(set(self.visibility)) > 1


@dataclass(frozen=True)
class Dataset:
    """Groups that can be ranked, and what was left out of the records, by reason."""

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
    def placed(self) -> bool:
        """Whether it is known where engines saw their sources."""
        return any(c.position is not None for g in self.groups for c in g.candidates)

    @property
    def snippets(self) -> str | None:
        """Why content is undefined here; None where it is not."""
        words = self.median_words
        return None if words >= LEAST_WORDS else f"snippets: the median source has {words:g} words of {LEAST_WORDS}"

    def only(self, groups: Sequence[Group]) -> Dataset:
        return Dataset(self.name, tuple(groups), self.excluded, self.inputs)
