"""ndcg_score: the quality of headings and sections; not an nDCG: the DCG ratio is recorded and never scored."""

from __future__ import annotations

import math
from collections.abc import Sequence

from steelyard.components.arithmetic.numbers import clamp, mean
from steelyard.components.arithmetic.retrieval import build_vectors, count_terms, score_bm25, top_terms
from steelyard.components.base import Component, Counts, DegenerateCase, Parts, TextSpan
from steelyard.text.document import Document, Section

MAX_SECTIONS = 10
QUERY_TERMS = 8
INFORMATIVE = 3  # content words of an informative heading
TIERS = ((30, 0.2), (80, 0.5), (150, 0.8), (401, 1.0))  # (words, share): a section with fewer words earns this share


class NdcgScore(Component):
    """0.10 S_rel + 0.55 S_qual + 0.20 S_hier + 0.15 S_pos over at most ten sections."""

    label = "section structure"
    spec = "app:ndcg"
    formula = "0.10·S_rel + 0.55·S_qual + 0.20·S_hier + 0.15·S_pos"
    symbols = ("S_rel", "S_qual", "S_hier", "S_pos", "dcg_ratio")
    degenerate = (DegenerateCase("fewer than 2 heading sections", lambda doc: len(doc.sections) < 2, 20.0),)

    def count(self, doc: Document) -> Counts:
        sections = doc.sections[:MAX_SECTIONS]
        if len(sections) < 2:
            return Counts(dict.fromkeys(self.symbols) | {"sections": len(doc.sections)})
        relevance = section_relevance(doc, sections)
        jumps = [i for i in range(1, len(sections)) if sections[i].level > sections[i - 1].level + 1]
        parts = {
            "S_rel": 100 * mean(relevance),
            "S_qual": mean([section_quality(doc, s) for s in sections]),
            "S_hier": 100 * (1 - len(jumps) / (len(sections) - 1)),
            "S_pos": front_loading(relevance),
            "dcg_ratio": dcg_ratio(relevance),
            "sections": len(doc.sections),
        }
        spans = [TextSpan("level-jump" if i in jumps else "section", *s.title) for i, s in enumerate(sections)]
        return Counts(parts, spans)

    def value(self, parts: Parts) -> float:
        score = 0.10 * parts["S_rel"] + 0.55 * parts["S_qual"] + 0.20 * parts["S_hier"] + 0.15 * parts["S_pos"]
        return clamp(score, 0.0, 100.0)


def section_relevance(doc: Document, sections: Sequence[Section]) -> list[float]:
    """Return the BM25 score of each section for the page's top TF-IDF terms, divided by the largest."""
    texts = [count_terms(t for t in doc.token_words(s.title[0], s.body[1]) if doc.keeps(t)) for s in sections]
    vectors, _ = build_vectors(texts)
    raw = score_bm25(texts, top_terms(vectors, QUERY_TERMS))
    top = max(raw)
    return [r / top if top > 0 else 0.0 for r in raw]


def section_quality(doc: Document, section: Section) -> float:
    """Return the points of one section for its length, sentences, heading and type-token ratio."""
    start, end = section.body
    words = len(doc.text[start:end].split())
    tier = next((worth for below, worth in TIERS if words < below), 0.8)
    sentences = len(doc.sentences_between(start, end))
    informative = sum(doc.keeps(t) for t in doc.token_words(*section.title))
    tokens = doc.token_words(start, end)
    ttr = len(set(tokens)) / len(tokens) if tokens else 0.0
    return 100 * (
        0.4 * tier
        + 0.2 * min(1.0, sentences / 4)
        + 0.2 * min(1.0, informative / INFORMATIVE)
        + 0.2 * clamp((ttr - 0.3) / 0.4)
    )


def front_loading(relevance: Sequence[float]) -> float:
    """Return S_pos: the relevance, weighted by how early its section comes."""
    n, total = len(relevance), math.fsum(relevance)
    return 100 * math.fsum(r * (1 - i / n) for i, r in enumerate(relevance)) / total if total > 0 else 0.0


def dcg_ratio(relevance: Sequence[float]) -> float:
    """Return DCG over the DCG of the best order; recorded only, as in the paper."""

    def dcg(values: Sequence[float]) -> float:
        return math.fsum(v / math.log2(i + 2) for i, v in enumerate(values))

    ideal = dcg(sorted(relevance, reverse=True))
    return dcg(relevance) / ideal if ideal > 0 else 0.0
