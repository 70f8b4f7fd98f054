"""What an embedder and a cross-encoder are, and the features of a query's candidates that are made from them.

A feature sees the candidates of one query and nothing else; in another order they have the same features.
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

EMBEDDING = ("e_cosine", "e_margin", "e_rank", "e_redundancy")
CROSS = ("x_logit", "x_margin", "x_rank")


class Embedder(Protocol):
    """Texts to vectors; the same text has the same vector, whatever else is asked with it."""

    @property
    def name(self) -> str: ...

    @property
    def identity(self) -> str:
        """A SHA-256 of all that a vector depends on beside the text: files, packages, settings."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]: ...


class CrossEncoder(Protocol):
    """A query and its candidates to a relevance each, as log-odds: higher is more relevant, no scale is promised."""

    @property
    def name(self) -> str: ...

    @property
    def identity(self) -> str: ...

    def logits(self, query: str, candidates: Sequence[Candidate]) -> list[float]: ...


def embedding_features(query: Vector, sources: Sequence[Vector]) -> list[dict[str, float]]:
    """For each source: the cosine with the query; that less the best other's; its rank; the highest cosine with
    another source, which is near 1 where somebody else says the same.

    A vector of zeros, such as an empty text may have, has the cosine 0 with every other. A source alone has the margin
    and the redundancy 0.
    """
    asked, *units = [_unit(vector) for vector in (query, *sources)]
    if len({len(vector) for vector in (query, *sources)}) > 1:
        raise ValueError("vectors of different lengths; they are of different models")
    cosines = [_dot(asked, unit) for unit in units]
    nearest = [0.0 if len(units) == 1 else -1.0] * len(units)
    for (i, one), (j, other) in itertools.combinations(enumerate(units), 2):
        cosine = _dot(one, other)
        nearest[i], nearest[j] = max(nearest[i], cosine), max(nearest[j], cosine)
    columns = (cosines, _margins(cosines), _places(cosines), nearest)
    return [dict(zip(EMBEDDING, row, strict=True)) for row in zip(*columns, strict=True)]


def cross_features(logits: Sequence[float]) -> list[dict[str, float]]:
    """For each source: its logit, that less the best other's, its rank. A source alone has the margin 0."""
    if not all(map(math.isfinite, logits)):
        raise ValueError("a logit that is not finite")
    columns = (logits, _margins(logits), _places(logits))
    return [dict(zip(CROSS, row, strict=True)) for row in zip(*columns, strict=True)]


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
    """Each less the highest of the others."""
    if len(values) < 2:
        return [0.0] * len(values)
    first, second = sorted(values, reverse=True)[:2]
    best = values.index(first)
    return [value - (second if i == best else first) for i, value in enumerate(values)]


def _places(values: Sequence[float]) -> list[float]:
    """Ranks as shares: 1 for the highest, 0 for the lowest, equal ones between them; alone 0.5."""
    if len(values) < 2:
        return [0.5] * len(values)
    return [(rank - 1) / (len(values) - 1) for rank in ranks(values)]
