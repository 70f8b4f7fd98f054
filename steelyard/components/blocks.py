"""Blocks: what the three structural components compare. Valid blocks have 30 words or more."""

from __future__ import annotations

from typing import NamedTuple

from steelyard.components.arithmetic import tfidf
from steelyard.text.document import Document
from steelyard.text.lines import Span

VALID_WORDS = 30
MOST = 60  # blocks compared: pairs grow with the square, so longer pages are judged by their first 60
QUERY_TERMS = 8


class Blocks(NamedTuple):
    """The valid blocks that are compared, as spans, token counts and unit TF-IDF vectors."""

    spans: list[Span]
    total: int
    all_tokens: list[dict[str, int]]
    vectors: list[dict[str, float]]
    idf: dict[str, float]
    cosines: list[list[float]]

    def query(self) -> dict[str, float]:
        """The unit vector of the document's top TF-IDF terms."""
        return tfidf.unit({t: self.idf[t] for t in tfidf.top_terms(self.vectors, QUERY_TERMS)})


def valid_blocks(doc: Document) -> list[Span]:
    """Blocks of at least 30 words, in order."""
    return doc.memo(
        "valid blocks",
        # One split too many is enough to know: counting a long block's words to the end costs more than the rest.
        lambda: [b for b in doc.structure.blocks if len(doc.text[b[0] : b[1]].split(None, VALID_WORDS)) >= VALID_WORDS],
    )


def too_few(doc: Document) -> bool:
    """The gate that mmr_score and semantic_redundancy share."""
    return len(valid_blocks(doc)) < 2


def compared(doc: Document) -> Blocks:
    """The blocks with everything the comparisons need, made once per page."""
    return doc.memo("blocks", lambda: _compared(doc))


def _compared(doc: Document) -> Blocks:
    valid = valid_blocks(doc)
    spans = valid[:MOST]
    tokens = [doc.token_words(*span) for span in spans]
    kept = [tfidf.count(t for t in words if doc.keeps(t)) for words in tokens]
    vectors, idf = tfidf.vectors(kept)
    n = len(spans)
    cosines = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            cosines[i][j] = cosines[j][i] = min(1.0, tfidf.cosine(vectors[i], vectors[j]))
    return Blocks(spans, len(valid), [tfidf.count(words) for words in tokens], vectors, idf, cosines)
