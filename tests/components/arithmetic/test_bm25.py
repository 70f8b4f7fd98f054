"""BM25 against bm25s and rank-bm25.

Ours is bm25s' `bm25l` with delta 0, exactly: its idf ln((n + 1) / (df + 0.5)) is our
ln(1 + (n - df + 0.5) / (df + 0.5)). Its `lucene` has our idf too and leaves out the constant factor k1 + 1.
rank-bm25's BM25Okapi has our term part and another idf; its BM25L is no oracle, because it multiplies by the
term frequency once more.
"""

import math
from collections.abc import Callable
from typing import Any

import pytest

from steelyard.components.arithmetic.bm25 import K1, B, score_documents
from steelyard.components.arithmetic.tfidf import count_terms

Oracle = Callable[[str], Any]


def kept(oracle: Oracle) -> tuple[list[dict[str, int]], list[dict[str, Any]]]:
    record = oracle("bm25")
    assert (record["k1"], record["b"]) == (K1, B)
    return [count_terms(text.split()) for text in record["documents"]], record["cases"]


def test_bm25_equals_the_bm25l_variant_of_bm25s_without_its_delta(oracle: Oracle):
    documents, cases = kept(oracle)
    for case in cases:
        assert score_documents(documents, case["query"]) == pytest.approx(case["bm25s.bm25l"], rel=1e-9), case["name"]
    assert any(any(case["bm25s.bm25l"]) for case in cases)


def test_bm25_equals_the_lucene_variant_of_bm25s_times_k1_plus_1(oracle: Oracle):
    documents, cases = kept(oracle)
    for case in cases:
        expected = [(K1 + 1) * score for score in case["bm25s.lucene"]]
        assert score_documents(documents, case["query"]) == pytest.approx(expected, rel=1e-9), case["name"]


def test_bm25_has_the_term_part_of_rank_bm25s_okapi_and_differs_in_the_idf_only(oracle: Oracle):
    documents, cases = kept(oracle)
    n, compared = len(documents), 0
    for case in cases:
        df = sum(case["query"][0] in document for document in documents)
        # Okapi's own idf turns negative above half the documents, where rank-bm25 puts another constant in its place.
        if len(case["query"]) > 1 or df >= n / 2:
            continue
        odds = (n - df + 0.5) / (df + 0.5)
        expected = [score * math.log(1 + odds) / math.log(odds) for score in case["rank_bm25.BM25Okapi"]]
        assert score_documents(documents, case["query"]) == pytest.approx(expected, rel=1e-9), case["name"]
        compared += 1
    assert compared >= 2


def test_bm25_of_no_documents_or_only_empty_ones_is_nothing_or_0():
    assert score_documents([], ["a"]) == []
    assert score_documents([{}, {}], ["a"]) == [0.0, 0.0]
