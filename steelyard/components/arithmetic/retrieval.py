"""Measures of information retrieval: overlaps, TF-IDF, Okapi BM25 and Maximal Marginal Relevance.

TF-IDF is that of scikit-learn's TfidfVectorizer by default: raw counts, smooth idf, unit length.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

BM25_K1 = 1.5
BM25_B = 0.75
RELEVANCE_SHARE = 0.7  # of MMR

Vector = dict[str, float]


def jaccard(a: AbstractSet[object], b: AbstractSet[object]) -> float:
    """Return |A and B| / |A or B|; 0.0 for two empty sets."""
    union = len(a | b)
    return len(a & b) / union if union else 0.0


def multiset_jaccard(a: Mapping[str, int], b: Mapping[str, int]) -> float:
    """Return the sum of minima over the sum of maxima of the counts; 0.0 for two empty multisets."""
    if len(b) < len(a):
        a, b = b, a
    common = sum(min(n, b[t]) for t, n in a.items() if t in b)
    total = sum(a.values()) + sum(b.values()) - common
    return common / total if total else 0.0


def overlap(a: AbstractSet[object], b: AbstractSet[object]) -> float:
    """Return |A and B| / min(|A|, |B|); 0.0 when either is empty."""
    smaller = min(len(a), len(b))
    return len(a & b) / smaller if smaller else 0.0


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


def score_bm25(documents: Sequence[Mapping[str, int]], query: Sequence[str]) -> list[float]:
    """Score documents (their term counts) for a query; idf is ln(1 + (n - df + 0.5) / (df + 0.5)), never negative."""
    n = len(documents)
    lengths = [sum(d.values()) for d in documents]
    average = sum(lengths) / n if n else 0.0
    result = [0.0] * n
    for term in query:
        df = sum(term in d for d in documents)
        if not df:
            continue
        idf = math.log(1.0 + (n - df + 0.5) / (df + 0.5))
        for i, document in enumerate(documents):
            tf = document.get(term, 0)
            if tf:
                result[i] += idf * tf * (BM25_K1 + 1) / (tf + BM25_K1 * (1 - BM25_B + BM25_B * lengths[i] / average))
    return result


def select_mmr(relevance: Sequence[float], similarity: Sequence[Sequence[float]]) -> list[tuple[int, float]]:
    """Select (index, MMR value) pairs until no candidate is worth more than 0; the first position wins a tie.

    This is the greedy selection of Carbonell and Goldstein (1998), which trades relevance for novelty.
    """
    remaining = list(range(len(relevance)))
    nearest = [0.0] * len(relevance)
    selected: list[tuple[int, float]] = []
    while remaining:
        best, value = -1, 0.0
        for i in remaining:
            candidate = RELEVANCE_SHARE * relevance[i] - (1 - RELEVANCE_SHARE) * nearest[i]
            if candidate > value:
                best, value = i, candidate
        if best < 0:
            break
        selected.append((best, value))
        remaining.remove(best)
        for i in remaining:
            nearest[i] = max(nearest[i], similarity[i][best])
    return selected
