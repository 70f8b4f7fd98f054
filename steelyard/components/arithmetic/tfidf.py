"""TF-IDF as scikit-learn's TfidfVectorizer computes it by default: raw counts, smooth idf, unit length."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

Term = TypeVar("Term", bound=Hashable)
Vector = dict[Term, float]


def count(terms: Iterable[Term]) -> dict[Term, int]:
    """Counts in order of first appearance."""
    counts: dict[Term, int] = {}
    for term in terms:
        counts[term] = counts.get(term, 0) + 1
    return counts


def bigrams(tokens: Sequence[str]) -> list[str]:
    """Every pair of neighbours, joined by a space."""
    return [f"{a} {b}" for a, b in itertools.pairwise(tokens)]


def idf(documents: Sequence[Mapping[Term, int]]) -> dict[Term, float]:
    """ln((1 + n) / (1 + df)) + 1, in order of first appearance."""
    n = len(documents)
    frequency: dict[Term, int] = {}
    for document in documents:
        for term in document:
            frequency[term] = frequency.get(term, 0) + 1
    return {term: math.log((1 + n) / (1 + df)) + 1.0 for term, df in frequency.items()}


def unit(weights: Mapping[Term, float]) -> Vector[Term]:
    """The vector scaled to length 1; an empty or zero vector stays as it is."""
    length = math.sqrt(math.fsum(w * w for w in weights.values()))
    return {term: w / length for term, w in weights.items()} if length > 0 else dict(weights)


def vectors(documents: Sequence[Mapping[Term, int]]) -> tuple[list[Vector[Term]], dict[Term, float]]:
    """One unit vector per document, and the idf they share."""
    weight = idf(documents)
    return [unit({t: c * weight[t] for t, c in document.items()}) for document in documents], weight


def cosine(a: Mapping[Term, float], b: Mapping[Term, float]) -> float:
    """The dot product of two unit vectors."""
    if len(b) < len(a):
        a, b = b, a
    return math.fsum(w * b[t] for t, w in a.items() if t in b)


def top_terms(unit_vectors: Sequence[Mapping[Term, float]], n: int) -> list[Term]:
    """The `n` terms of largest summed weight, ties by first position."""
    weights: dict[Term, list[float]] = {}
    for vector in unit_vectors:
        for term, weight in vector.items():
            weights.setdefault(term, []).append(weight)
    total = {term: math.fsum(values) for term, values in weights.items()}
    return sorted(total, key=lambda term: -total[term])[:n]
