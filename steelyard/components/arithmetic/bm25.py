"""Okapi BM25 with a non-negative idf."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

K1 = 1.5
B = 0.75


def score_documents(documents: Sequence[Mapping[str, int]], query: Sequence[str]) -> list[float]:
    """Score each document (its term counts) for the query; idf is ln(1 + (n - df + 0.5) / (df + 0.5))."""
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
                result[i] += idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * lengths[i] / average))
    return result
