"""Blocks: the stretches of text between blank lines that mmr_score and semantic_redundancy compare."""

from __future__ import annotations

from typing import NamedTuple

from steelyard.components.arithmetic.retrieval import build_vectors, cosine, count_terms, normalise, top_terms
from steelyard.text.document import Document, once_per_page
from steelyard.text.lines import Span

VALID_WORDS = 30
MAX_COMPARED = 60  # pairs grow with the square, so only the first 60 blocks of a longer page are compared
QUERY_TERMS = 8


class Blocks(NamedTuple):
    """The blocks that are compared, with their token counts and unit TF-IDF vectors."""

    spans: list[Span]
    all_tokens: list[dict[str, int]]
    vectors: list[dict[str, float]]
    idf: dict[str, float]
    cosines: list[list[float]]

    def pseudo_query(self) -> dict[str, float]:
        """Return the unit vector of the page's top TF-IDF terms."""
        return normalise({t: self.idf[t] for t in top_terms(self.vectors, QUERY_TERMS)})


@once_per_page
def find_valid_blocks(doc: Document) -> list[Span]:
    """Return the blocks of at least 30 words, in order."""
    # One split too many is enough to know: counting a long block's words to the end costs more than the rest.
    return [b for b in doc.structure.blocks if len(doc.text[b[0] : b[1]].split(None, VALID_WORDS)) >= VALID_WORDS]


def has_too_few_blocks(doc: Document) -> bool:
    """Return whether there is no pair of valid blocks to compare."""
    return len(find_valid_blocks(doc)) < 2


@once_per_page
def compare_blocks(doc: Document) -> Blocks:
    """Compare every pair of the first 60 valid blocks."""
    spans = find_valid_blocks(doc)[:MAX_COMPARED]
    tokens = [doc.token_words(*span) for span in spans]
    kept = [count_terms(t for t in words if doc.keeps(t)) for words in tokens]
    vectors, idf = build_vectors(kept)
    n = len(spans)
    cosines = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            cosines[i][j] = cosines[j][i] = min(1.0, cosine(vectors[i], vectors[j]))
    return Blocks(spans, [count_terms(words) for words in tokens], vectors, idf, cosines)
