"""What an embedder and a cross-encoder are, and the features of a query's candidates that they give.

A feature depends on the candidates of one query and on nothing else, and not on their order.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from operator import mul
from typing import Protocol

from steelyard.lab.ranking.dataset import Candidate
from steelyard.lab.stats.correlation import ranks

Vector = Sequence[float]

EMBEDDING_FEATURES = ("e_cosine", "e_margin", "e_rank", "e_redundancy")
CROSS_FEATURES = ("x_logit", "x_margin", "x_rank")


class SignalModel(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def identity(self) -> str:
        """The SHA-256 of all that a result depends on apart from the text: files, packages, settings."""


class Embedder(SignalModel, Protocol):
    """Turns texts into vectors; a text has the same vector whatever else is embedded with it."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]: ...


class CrossEncoder(SignalModel, Protocol):
    """Turns a query and its candidates into relevances: log-odds, higher is more relevant, on no fixed scale."""

    def logits(self, query: str, candidates: Sequence[Candidate]) -> list[float]: ...


def compute_embedding_features(query: Vector, sources: Sequence[Vector]) -> list[dict[str, float]]:
    """Return for each source its cosine with the query, the margin over the best other source, its rank, and its
    highest cosine with another source, which is near 1 if that one says the same.

    A vector of zeros, which an empty text may have, has the cosine 0 with every other. For a single source the margin
    and the redundancy are 0.
    """
    query_unit, *units = [_unit(vector) for vector in (query, *sources)]
    if len({len(vector) for vector in (query, *sources)}) > 1:
        raise ValueError("vectors of different lengths; they come from different models")
    cosines = [_dot(query_unit, unit) for unit in units]
    nearest = [0.0 if len(units) == 1 else -1.0] * len(units)
    for (i, one), (j, other) in itertools.combinations(enumerate(units), 2):
        cosine = _dot(one, other)
        nearest[i], nearest[j] = max(nearest[i], cosine), max(nearest[j], cosine)
    columns = (cosines, _margins(cosines), _relative_ranks(cosines), nearest)
    return [dict(zip(EMBEDDING_FEATURES, row, strict=True)) for row in zip(*columns, strict=True)]


def compute_cross_features(logits: Sequence[float]) -> list[dict[str, float]]:
    """Return for each source its logit, the margin over the best other source (0 if there is none), and its rank."""
    if not all(map(math.isfinite, logits)):
        raise ValueError("a logit that is not finite")
    columns = (logits, _margins(logits), _relative_ranks(logits))
    return [dict(zip(CROSS_FEATURES, row, strict=True)) for row in zip(*columns, strict=True)]


def _unit(vector: Vector) -> list[float]:
    if not all(map(math.isfinite, vector)):
        raise ValueError("a vector with a number that is not finite")
    largest = max(map(abs, vector), default=0.0)
    if not largest:
        return [0.0] * len(vector)
    scaled = [x / largest for x in vector]  # so that no square overflows
    length = math.sqrt(math.fsum(x * x for x in scaled))
    return [x / length for x in scaled]


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return max(-1.0, min(1.0, math.fsum(map(mul, one, other))))


def _margins(values: Sequence[float]) -> list[float]:
    """Subtract from each value the highest of the others."""
    if len(values) < 2:
        return [0.0] * len(values)
    first, second = sorted(values, reverse=True)[:2]
    best = values.index(first)
    return [value - (second if i == best else first) for i, value in enumerate(values)]


def _relative_ranks(values: Sequence[float]) -> list[float]:
    """Return ranks as shares: 1 for the highest, 0 for the lowest, the same for equal values; 0.5 for a single one."""
    if len(values) < 2:
        return [0.5] * len(values)
    return [(rank - 1) / (len(values) - 1) for rank in ranks(values)]
