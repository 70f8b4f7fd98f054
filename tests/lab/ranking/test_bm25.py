"""q_bm25 against bm25s, on random corpora and from the texts on.

bm25s' `lucene` has our idf, ln(1 + (n - df + 0.5) / (df + 0.5)), and leaves out the constant factor k1 + 1, which moves
no rank; its `bm25l` with delta 0 is ours to the last digits.
"""

from __future__ import annotations

import random

import bm25s  # type: ignore[import-untyped]  # publishes no types
import pytest

from steelyard.components.arithmetic import retrieval
from steelyard.lab.ranking.dataset import Candidate
from steelyard.lab.ranking.lexical import compute_lexical_features, parse_query, parse_source

K1, B = 1.5, 0.75
VOCABULARY = [f"w{i}" for i in range(60)]
Corpus = list[list[str]]


def corpus(seed: int, largest: int = 40) -> tuple[Corpus, list[str]]:
    """Documents of uneven length over a few words, of which some are frequent, and a query of distinct words."""
    rng = random.Random(seed)
    weights = [1 / (i + 1) for i in range(len(VOCABULARY))]
    sizes = [rng.randint(1, 120) for _ in range(rng.randint(2, largest))]
    return [rng.choices(VOCABULARY, weights, k=n) for n in sizes], rng.sample(VOCABULARY, rng.randint(1, 8))


def reference(documents: Corpus, query: list[str], method: str, **settings: float) -> list[float]:
    model = bm25s.BM25(method=method, k1=K1, b=B, dtype="float64", **settings)
    model.index(documents, show_progress=False)
    known = [term for term in query if any(term in d for d in documents)]  # bm25s refuses a query without any
    return [float(score) for score in model.get_scores(known)] if known else [0.0] * len(documents)


def test_bm25_is_that_of_bm25s_by_its_lucene_and_by_its_bm25l():
    for seed in range(4):
        documents, query = corpus(seed)
        ours = retrieval.score_bm25([retrieval.count_terms(d) for d in documents], query)
        assert any(ours)
        assert ours == pytest.approx([(K1 + 1) * s for s in reference(documents, query, "lucene")], rel=1e-9), seed
        assert ours == pytest.approx(reference(documents, query, "bm25l", delta=0.0), rel=1e-9), seed


def test_the_feature_is_bm25_of_the_texts_without_stop_words_and_case():
    for seed in range(4):
        documents, query = corpus(seed)
        rng = random.Random(seed)
        texts = [" ".join(f"the {w.upper()}," if rng.random() < 0.3 else w for w in d) for d in documents]
        passages = [parse_source(Candidate(str(i), text)) for i, text in enumerate(texts)]
        asked = parse_query("What is " + " the ".join([*query, query[0]]) + "?")
        found = [row["q_bm25"] for row in compute_lexical_features(asked, passages)]
        assert found == pytest.approx([(K1 + 1) * s for s in reference(documents, query, "lucene")], rel=1e-9), seed
