"""mmr_score: how diverse the page's blocks are, and how many a greedy relevance selection would keep."""

from __future__ import annotations

from steelyard.components.arithmetic import tfidf
from steelyard.components.arithmetic.mmr import select
from steelyard.components.arithmetic.numbers import clamp, mean
from steelyard.components.base import Component, Counted, Degenerate, Found, Parts
from steelyard.components.blocks import Blocks, compared, too_few, valid_blocks
from steelyard.components.semantic_redundancy import SemanticRedundancy
from steelyard.text.document import Document

_REDUNDANCY = SemanticRedundancy()


class MmrScore(Component):
    """0.25 L + 0.65 R + 0.10 Q."""

    spec = "app:mmr"
    formula = "0.25·L + 0.65·R + 0.10·Q"
    symbols = ("L", "R", "Q")
    degenerate = (Degenerate("fewer than 2 valid blocks", too_few, 20.0),)

    def count(self, doc: Document) -> Counted:
        if too_few(doc):
            return Counted({"L": None, "R": None, "Q": None, "blocks": len(valid_blocks(doc))})
        blocks = compared(doc)
        redundancy = _REDUNDANCY.value(_REDUNDANCY.count(doc).parts)
        quality, chosen = selection_quality(blocks)
        parts = {"L": lexical_diversity(blocks), "R": redundancy, "Q": quality, "blocks": blocks.total}
        return Counted(parts, [Found("selected-block", *blocks.spans[i]) for i in chosen])

    def value(self, parts: Parts) -> float:
        return clamp(0.25 * parts["L"] + 0.65 * parts["R"] + 0.10 * parts["Q"], 0.0, 100.0)


def lexical_diversity(blocks: Blocks) -> float:
    """L: 100 (1 - the mean over blocks of the cosine with the nearest other)."""
    rows = blocks.cosines
    return 100 * (1 - mean([max(c for j, c in enumerate(row) if j != i) for i, row in enumerate(rows)]))


def selection_quality(blocks: Blocks) -> tuple[float, list[int]]:
    """Q of the MMR selection against the pseudo-query, and the blocks chosen."""
    query = blocks.query()
    chosen = select([tfidf.cosine(v, query) for v in blocks.vectors], blocks.cosines)
    ratio = len(chosen) / len(blocks.spans)
    worth = clamp(mean([value for _, value in chosen]) / 0.5)
    return 100 * (0.4 * ratio + 0.4 * worth + 0.2 * min(1.0, len(chosen) / 5)), sorted(i for i, _ in chosen)
