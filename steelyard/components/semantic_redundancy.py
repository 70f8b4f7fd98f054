"""semantic_redundancy: how little the page's blocks repeat each other; high when there is little redundancy."""

from __future__ import annotations

from steelyard.components.arithmetic.information import diversity
from steelyard.components.arithmetic.numbers import clamp, mean
from steelyard.components.arithmetic.retrieval import jaccard, multiset_jaccard
from steelyard.components.base import Component, Counts, DegenerateCase, Parts, TextSpan
from steelyard.components.blocks import MAX_COMPARED, compare_blocks, find_valid_blocks, has_too_few_blocks
from steelyard.text.document import Document, once_per_page

SIMILAR = 0.5  # cosine from which a pair of blocks is shown


class SemanticRedundancy(Component):
    """100 (0.40 (1 - cos) + 0.25 (1 - J) + 0.20 gamma + 0.15 (1 - V)), means over pairs of blocks."""

    label = "freedom from repetition"
    spec = "app:redundancy"
    formula = "100·(0.40(1 - cos) + 0.25(1 - J) + 0.20·gamma + 0.15(1 - V))"
    symbols = ("cos", "J", "V", "gamma")
    degenerate = (DegenerateCase("fewer than 2 valid blocks", has_too_few_blocks, 20.0),)

    def count(self, doc: Document) -> Counts:
        return _count(doc)

    def value(self, parts: Parts) -> float:
        score = 0.40 * (1 - parts["cos"]) + 0.25 * (1 - parts["J"]) + 0.20 * parts["gamma"] + 0.15 * (1 - parts["V"])
        return clamp(100 * score, 0.0, 100.0)


@once_per_page
def _count(doc: Document) -> Counts:
    total = len(find_valid_blocks(doc))
    sizes = {"blocks": total, "compared": min(MAX_COMPARED, total)}
    if has_too_few_blocks(doc):
        return Counts({"cos": None, "J": None, "V": None, "gamma": None, **sizes})
    blocks = compare_blocks(doc)
    n = len(blocks.spans)
    pairs = [(i, j) for i in range(n) for j in range(i)]
    types = [frozenset(vector) for vector in blocks.vectors]
    parts = {
        "cos": mean([blocks.cosines[i][j] for i, j in pairs]),
        "J": mean([multiset_jaccard(blocks.all_tokens[i], blocks.all_tokens[j]) for i, j in pairs]),
        "V": mean([jaccard(types[i], types[j]) for i, j in pairs]),
        "gamma": diversity(doc.visible_source()),
        **sizes,
    }
    later = sorted({i for i, j in pairs if blocks.cosines[i][j] >= SIMILAR})  # the later block of each similar pair
    return Counts(parts, [TextSpan("similar-block", *blocks.spans[i]) for i in later])
