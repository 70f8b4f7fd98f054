"""Ranking data: for every query and engine the candidates, and how visible each one was."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.support.quantile import quantile

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
        return (
            None
            if words >= MIN_MEDIAN_WORDS
            else f"snippets: the median source has {words:g} words of {MIN_MEDIAN_WORDS}"
        )
