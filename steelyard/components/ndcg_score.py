"""ndcg_score: the quality of the heading structure; the DCG ratio it is named after is kept and never scored."""

from __future__ import annotations

import math
from collections.abc import Sequence

from steelyard.components.arithmetic import bm25, tfidf
from steelyard.components.arithmetic.numbers import clamp, mean
from steelyard.components.base import Component, Counted, Degenerate, Found, Parts
from steelyard.text.document import Document, Section

MOST = 10
QUERY_TERMS = 8
INFORMATIVE = 3  # content words of a heading that says enough
TIERS = ((30, 0.2), (80, 0.5), (150, 0.8), (401, 1.0))  # words below which a section's length earns this


class NdcgScore(Component):
    """0.10 S_rel + 0.55 S_qual + 0.20 S_hier + 0.15 S_pos over at most ten sections."""

    spec = "app:ndcg"
    formula = "0.10·S_rel + 0.55·S_qual + 0.20·S_hier + 0.15·S_pos"
    symbols = ("S_rel", "S_qual", "S_hier", "S_pos", "dcg_ratio")
    degenerate = (Degenerate("fewer than 2 heading sections", lambda doc: len(doc.sections) < 2, 20.0),)

    def count(self, doc: Document) -> Counted:
        sections = doc.sections[:MOST]
        if len(sections) < 2:
            return Counted(dict.fromkeys(self.symbols) | {"sections": len(doc.sections)})
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
        found = [Found("level-jump" if i in jumps else "section", *s.title) for i, s in enumerate(sections)]
        return Counted(parts, found)

    def value(self, parts: Parts) -> float:
        score = 0.10 * parts["S_rel"] + 0.55 * parts["S_qual"] + 0.20 * parts["S_hier"] + 0.15 * parts["S_pos"]
        return clamp(score, 0.0, 100.0)


def section_relevance(doc: Document, sections: Sequence[Section]) -> list[float]:
    """BM25 of each section for the document's top TF-IDF terms, over its maximum."""
    texts = [tfidf.count(t for t in doc.token_words(s.title[0], s.body[1]) if doc.keeps(t)) for s in sections]
    vectors, _ = tfidf.vectors(texts)
    raw = bm25.scores(texts, tfidf.top_terms(vectors, QUERY_TERMS))
    top = max(raw)
    return [r / top if top > 0 else 0.0 for r in raw]


def section_quality(doc: Document, section: Section) -> float:
    """Length tier, sentences, informative title and type-token ratio of one section, in points."""
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
    """S_pos: relevance weighted by how early its section stands."""
    n, total = len(relevance), math.fsum(relevance)
    return 100 * math.fsum(r * (1 - i / n) for i, r in enumerate(relevance)) / total if total > 0 else 0.0


def dcg_ratio(relevance: Sequence[float]) -> float:
    """DCG over its best order: stored as the paper stores it."""

    def dcg(values: Sequence[float]) -> float:
        return math.fsum(v / math.log2(i + 2) for i, v in enumerate(values))

    ideal = dcg(sorted(relevance, reverse=True))
    return dcg(relevance) / ideal if ideal > 0 else 0.0
