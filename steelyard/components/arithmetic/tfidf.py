"""TF-IDF as scikit-learn's TfidfVectorizer computes it by default: raw counts, smooth idf, unit length."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

Vector = dict[str, float]


def count_terms(terms: Iterable[str]) -> dict[str, int]:
    """Count terms, in order of first appearance."""
    return dict(Counter(terms))


def bigrams(tokens: Sequence[str]) -> list[str]:
    """Join every pair of neighbours by a space."""
    return [f"{a} {b}" for a, b in itertools.pairwise(tokens)]


def idf(documents: Sequence[Mapping[str, int]]) -> dict[str, float]:
    """Return ln((1 + n) / (1 + df)) + 1 for each term, in order of first appearance."""
    n = len(documents)
    frequency = Counter(term for document in documents for term in document)
    return {term: math.log((1 + n) / (1 + df)) + 1.0 for term, df in frequency.items()}


def normalise(weights: Mapping[str, float]) -> Vector:
    """Scale a vector to length 1; an empty or zero vector stays as it is."""
    length = math.sqrt(math.fsum(w * w for w in weights.values()))
    return {term: w / length for term, w in weights.items()} if length > 0 else dict(weights)


def build_vectors(documents: Sequence[Mapping[str, int]]) -> tuple[list[Vector], dict[str, float]]:
    """Return one unit vector per document, and their common idf."""
    weight = idf(documents)
    return [normalise({t: c * weight[t] for t, c in document.items()}) for document in documents], weight


def cosine(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    """Return the dot product of two unit vectors."""
    if len(b) < len(a):
        a, b = b, a
    return math.fsum(w * b[t] for t, w in a.items() if t in b)


def top_terms(unit_vectors: Sequence[Mapping[str, float]], n: int) -> list[str]:
    """Return the `n` terms with the largest summed weight; the first position wins a tie."""
    weights: dict[str, list[float]] = {}
    for vector in unit_vectors:
        for term, weight in vector.items():
            weights.setdefault(term, []).append(weight)
    total = {term: math.fsum(values) for term, values in weights.items()}
    return sorted(total, key=lambda term: -total[term])[:n]
