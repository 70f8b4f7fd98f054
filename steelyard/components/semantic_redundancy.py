"""semantic_redundancy: how little the page's blocks repeat each other; high means diverse."""

from __future__ import annotations

from steelyard.components.arithmetic.compression import diversity
from steelyard.components.arithmetic.numbers import clamp, mean
from steelyard.components.arithmetic.overlap import jaccard, multiset_jaccard
from steelyard.components.base import Component, Counted, Degenerate, Found, Parts
from steelyard.components.blocks import MOST, Blocks, compared, too_few, valid_blocks
from steelyard.text.document import Document

SIMILAR = 0.5  # cosine from which a pair of blocks is shown


class SemanticRedundancy(Component):
    """100 (0.40 (1 - cos) + 0.25 (1 - J) + 0.20 gamma + 0.15 (1 - V)), means over pairs of blocks."""

    spec = "app:redundancy"
    formula = "100·(0.40(1 - cos) + 0.25(1 - J) + 0.20·gamma + 0.15(1 - V))"
    symbols = ("cos", "J", "V", "gamma")
    degenerate = (Degenerate("fewer than 2 valid blocks", too_few, 20.0),)

    def count(self, doc: Document) -> Counted:
        return doc.memo("redundancy", lambda: _count(doc))

    def value(self, parts: Parts) -> float:
        score = 0.40 * (1 - parts["cos"]) + 0.25 * (1 - parts["J"]) + 0.20 * parts["gamma"] + 0.15 * (1 - parts["V"])
        return clamp(100 * score, 0.0, 100.0)


def _count(doc: Document) -> Counted:
    sizes = {"blocks": len(valid_blocks(doc)), "compared": min(MOST, len(valid_blocks(doc)))}
    if too_few(doc):
        return Counted({"cos": None, "J": None, "V": None, "gamma": None, **sizes})
    blocks = compared(doc)
    n = len(blocks.spans)
    pairs = [(i, j) for i in range(n) for j in range(i)]
    types = [frozenset(vector) for vector in blocks.vectors]
    parts = {
        "cos": mean([blocks.cosines[i][j] for i, j in pairs]),
        "J": mean([multiset_jaccard(blocks.all_tokens[i], blocks.all_tokens[j]) for i, j in pairs]),
        "V": mean([jaccard(types[i], types[j]) for i, j in pairs]),
        "gamma": diversity(doc.shown_source()),
        **sizes,
    }
    return Counted(parts, _alike(blocks, pairs))


def _alike(blocks: Blocks, pairs: list[tuple[int, int]]) -> list[Found]:
    """The later block of every pair that says much the same."""
    later = sorted({i for i, j in pairs if blocks.cosines[i][j] >= SIMILAR})
    return [Found("similar-block", *blocks.spans[i]) for i in later]
