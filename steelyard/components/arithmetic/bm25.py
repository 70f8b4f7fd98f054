"""Okapi BM25 with a non-negative idf, k1 = 1.5, b = 0.75."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

Term = TypeVar("Term", bound=Hashable)


def scores(
    documents: Sequence[Mapping[Term, int]], query: Sequence[Term], *, k1: float = 1.5, b: float = 0.75
) -> list[float]:
    """One score per document (term counts) for the query; idf is ln(1 + (n - df + 0.5) / (df + 0.5))."""
    n = len(documents)
    lengths = [sum(d.values()) for d in documents]
    average = sum(lengths) / n if n else 0.0
    result = [0.0] * n
    for term in query:
        df = sum(term in d for d in documents)
        if not df:
            continue
        weight = math.log(1.0 + (n - df + 0.5) / (df + 0.5))
        for i, document in enumerate(documents):
            tf = document.get(term, 0)
            if tf:
                result[i] += weight * tf * (k1 + 1) / (tf + k1 * (1 - b + b * lengths[i] / average))
    return result
