"""semantic_coherence: how sentences follow from each other (12/17) and how the page takes up its title (5/17)."""

from __future__ import annotations

import itertools
import math
from collections import Counter

from steelyard.components.arithmetic.information import SMOOTHING, jensen_shannon
from steelyard.components.arithmetic.numbers import clamp, mean, variation
from steelyard.components.arithmetic.retrieval import bigrams, build_vectors, cosine, count_terms, overlap
from steelyard.components.base import Component, Counts, DegenerateCase, Parts, TextSpan
from steelyard.components.title import Concept, concept_coverage, extract_concepts, title_tokens
from steelyard.text.document import Document

NEUTRAL = 50.0  # T and K of a page without a title
TOP_VOCABULARY = 50
LONG_PAGE = 400  # words from which the length bonuses grow, over the next 1,600
PARAGRAPH_TERM = 0.4  # the paper flattens the text first, so its paragraph term is a constant
PARAGRAPH_TERM_SHORT = 0.7
SHORT = 3  # pages of at most this many sentences get the short constant


class SemanticCoherence(Component):
    """(T + 4 K + 12 F_flow) / 17."""

    label = "flow and match to title"
    spec = "app:coherence"
    formula = "(T + 4·K + 12·F_flow) / 17"
    symbols = ("T", "K", "F_flow")
    degenerate = (DegenerateCase("fewer than 10 words", lambda doc: doc.n_words < 10, 15.0),)

    def count(self, doc: Document) -> Counts:
        flow, unlinked = flow_parts(doc)
        terms = {"W": doc.n_words, **title_parts(doc), **keyword_parts(doc), **flow}
        parts = {"T": title_score(terms), "K": keyword_score(terms), "F_flow": flow_score(terms), **terms}
        return Counts(parts, [*doc.find("transition"), *unlinked])

    def value(self, parts: Parts) -> float:
        return clamp((parts["T"] + 4 * parts["K"] + 12 * parts["F_flow"]) / 17, 0.0, 100.0)


def length_bonus(words: int, limit: float) -> float:
    """Return up to `limit` points, growing from 400 to 2,000 words."""
    return clamp(limit * (words - LONG_PAGE) / 1600, 0.0, limit)


def title_parts(doc: Document) -> dict[str, float | None]:
    """Compute d and V_c of the title and the page over the 50 most frequent tokens of both."""
    words = title_tokens(doc)
    if not words:
        return {"d": None, "V_c": None}
    title = count_terms(words)
    vocabulary = doc.tokens.vocabulary
    content = {vocabulary[i]: n for i, n in doc.kept_counts.items()}
    total = Counter(content)
    total.update(title)
    top = sorted(total, key=lambda word: (-total[word], word))[:TOP_VOCABULARY]
    p = [title.get(word, 0) + SMOOTHING for word in top]
    q = [content.get(word, 0) + SMOOTHING for word in top]
    return {"d": jensen_shannon(p, q), "V_c": len(total)}


def title_score(p: Parts) -> float:
    """Compute T: T0 from the distance, plus up to 35 points for long pages."""
    if p["d"] is None:
        return NEUTRAL
    vocabulary_bonus = min(2.0, 0.5 * math.log10(max(1, p["V_c"])))
    t0 = clamp(10 * min(10.0, (1 - p["d"]) * 10 + vocabulary_bonus), 0.0, 100.0)
    return clamp(t0 + length_bonus(p["W"], 35.0), 0.0, 100.0)


def keyword_parts(doc: Document) -> dict[str, float | None]:
    """Measure how the page takes up the title's concepts; all terms are None when there are none."""
    concepts = extract_concepts(doc)
    ids = doc.tokens.ids
    if not concepts or not ids:
        return dict.fromkeys(("cosine", "coverage", "density", "first"))
    words = {word for concept in concepts for word in concept}
    vocabulary = doc.tokens.vocabulary
    concept_ids = {i for i, word in enumerate(vocabulary) if word in words}
    places = [at for at, i in enumerate(ids) if i in concept_ids]
    return {
        "cosine": _cosine(doc, concepts),
        "coverage": concept_coverage(doc),
        "density": len(places) / len(ids),
        "first": places[0] / len(ids) if places else 1.0,
    }


def _cosine(doc: Document, concepts: list[Concept]) -> float:
    vocabulary = doc.tokens.vocabulary
    content = [vocabulary[i] for i in doc.kept_ids]
    title = [term for concept in concepts for term in (*concept, *bigrams(concept))]
    (a, b), _ = build_vectors([count_terms(title), count_terms([*content, *bigrams(content)])])
    return min(1.0, cosine(a, b))


def keyword_score(p: Parts) -> float:
    """Compute K from its four terms, plus up to 10 points for long pages."""
    if p["cosine"] is None:
        return NEUTRAL
    density = max(0.0, 1 - abs(p["density"] - 0.03) / 0.03)
    score = 100 * (0.35 * p["cosine"] + 0.30 * p["coverage"] + 0.20 * density + 0.15 * (1 - p["first"]))
    return min(100.0, float(score) + length_bonus(p["W"], 10.0))


def flow_parts(doc: Document) -> tuple[dict[str, float], list[TextSpan]]:
    """Return the five terms of the flow, and the sentences that share no token with the three before them."""
    sets = doc.sentence_tokens()
    n = len(sets)
    linked = 0
    unlinked = []
    for i in range(1, n):
        if any(not sets[i].isdisjoint(sets[j]) for j in range(max(0, i - 3), i)):
            linked += 1
        else:
            unlinked.append(TextSpan("unlinked-sentence", *doc.segments[doc.sentences[i]]))
    density = len(doc.find("transition")) / n if n else 0.0
    return {
        "o": mean([overlap(a, b) for a, b in itertools.pairwise(sets)]),
        "t": 1 / (1 + abs(density - 0.3) / 0.3),
        "e": linked / (n - 1) if n > 1 else 0.0,
        "p": PARAGRAPH_TERM_SHORT if n <= SHORT else PARAGRAPH_TERM,
        "v": min(1.0, variation(doc.sentence_words) / 0.5),
    }, unlinked


def flow_score(p: Parts) -> float:
    """Compute F_flow from its five terms."""
    return float(100 * (0.25 * p["o"] + 0.20 * p["t"] + 0.15 * p["e"] + 0.20 * p["p"] + 0.20 * p["v"]))
