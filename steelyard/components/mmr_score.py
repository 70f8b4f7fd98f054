"""mmr_score: how different the page's blocks are from each other, and how many a greedy selection would keep."""

from __future__ import annotations

from steelyard.components.arithmetic.numbers import clamp, mean
from steelyard.components.arithmetic.retrieval import cosine, select_mmr
from steelyard.components.base import Component, Counts, DegenerateCase, Parts, TextSpan
from steelyard.components.blocks import Blocks, compare_blocks, find_valid_blocks, has_too_few_blocks
from steelyard.components.semantic_redundancy import SemanticRedundancy
from steelyard.text.document import Document

_REDUNDANCY = SemanticRedundancy()


class MmrScore(Component):
    """0.25 L + 0.65 R + 0.10 Q."""

    label = "variety between blocks"
    spec = "app:mmr"
    formula = "0.25·L + 0.65·R + 0.10·Q"
    symbols = ("L", "R", "Q")
    degenerate = (DegenerateCase("fewer than 2 valid blocks", has_too_few_blocks, 20.0),)

    def count(self, doc: Document) -> Counts:
        total = len(find_valid_blocks(doc))
        if has_too_few_blocks(doc):
            return Counts({"L": None, "R": None, "Q": None, "blocks": total})
        blocks = compare_blocks(doc)
        redundancy = _REDUNDANCY.value(_REDUNDANCY.count(doc).parts)
        quality, selected = selection_quality(blocks)
        parts = {"L": lexical_diversity(blocks), "R": redundancy, "Q": quality, "blocks": total}
        return Counts(parts, [TextSpan("selected-block", *blocks.spans[i]) for i in selected])

    def value(self, parts: Parts) -> float:
        return clamp(0.25 * parts["L"] + 0.65 * parts["R"] + 0.10 * parts["Q"], 0.0, 100.0)


def lexical_diversity(blocks: Blocks) -> float:
    """Return L: 100 (1 - the mean over blocks of the cosine with the nearest other block)."""
    rows = blocks.cosines
    return 100 * (1 - mean([max(c for j, c in enumerate(row) if j != i) for i, row in enumerate(rows)]))


def selection_quality(blocks: Blocks) -> tuple[float, list[int]]:
    """Return Q of the MMR selection for the pseudo-query, and the selected blocks in text order."""
    query = blocks.pseudo_query()
    selected = select_mmr([cosine(v, query) for v in blocks.vectors], blocks.cosines)
    ratio = len(selected) / len(blocks.spans)
    worth = clamp(mean([value for _, value in selected]) / 0.5)
    return 100 * (0.4 * ratio + 0.4 * worth + 0.2 * min(1.0, len(selected) / 5)), sorted(i for i, _ in selected)
