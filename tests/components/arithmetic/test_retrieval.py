"""TF-IDF, BM25, MMR and overlaps against reference libraries.

BM25 is bm25s' `bm25l` with delta 0, exactly: its idf ln((n + 1) / (df + 0.5)) is our
ln(1 + (n - df + 0.5) / (df + 0.5)). Its `lucene` has our idf too and leaves out the constant factor k1 + 1.
rank-bm25's BM25Okapi has our term part and another idf; its BM25L is no oracle, because it multiplies by the
term frequency once more.
"""

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.spatial import distance
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from steelyard.components.arithmetic import retrieval

REPEATABLE = settings(deadline=None, derandomize=True, max_examples=25)
Oracle = Callable[[str], Any]

Texts = list[list[str]]
TEXTS = st.lists(st.lists(st.sampled_from(("a", "b", "c", "dd", "ee", "fff")), max_size=12), min_size=1, max_size=7)


def itself(tokens: list[str]) -> list[str]:
    return tokens


def fit(texts: Texts, longest: int = 1) -> tuple[TfidfVectorizer, Any]:
    """Fit scikit-learn's vectorizer on tokens, or with 2 on bigrams too."""
    vectorizer = TfidfVectorizer(
        tokenizer=itself, preprocessor=itself, token_pattern=None, lowercase=False, ngram_range=(1, longest)
    )
    return vectorizer, vectorizer.fit_transform(texts)


def assert_equal(documents: list[dict[str, int]], vectorizer: TfidfVectorizer, matrix: Any) -> None:
    """Every weight, every idf, the vocabulary, and every cosine between two documents."""
    ours, weight = retrieval.build_vectors(documents)
    terms = vectorizer.get_feature_names_out()
    assert weight.keys() == set(terms)
    assert [weight[term] for term in terms] == pytest.approx(list(vectorizer.idf_), rel=1e-9)
    for vector, row in zip(ours, matrix.toarray(), strict=True):
        assert [vector.get(term, 0.0) for term in terms] == pytest.approx(list(row), rel=1e-9)
    cosines = cosine_similarity(matrix)
    for i, a in enumerate(ours):
        assert [retrieval.cosine(a, b) for b in ours] == pytest.approx(list(cosines[i]), rel=1e-9)


def assert_equal_with_and_without_bigrams(texts: Texts) -> None:
    assert_equal([retrieval.count_terms(text) for text in texts], *fit(texts))
    both = [retrieval.count_terms([*text, *retrieval.bigrams(text)]) for text in texts]
    assert_equal(both, *fit(texts, longest=2))


@REPEATABLE
@given(TEXTS)
def test_tfidf_equals_scikit_learn_on_tokens_and_bigrams(texts: Texts):
    assume(any(texts))  # scikit-learn refuses an empty vocabulary
    assert_equal_with_and_without_bigrams(texts)


def test_tfidf_of_prose_equals_scikit_learn(prose: Texts):
    assert len(prose) >= 4
    assert_equal_with_and_without_bigrams(prose)


def test_the_top_terms_are_those_of_largest_column_sum_in_scikit_learn(prose: Texts):
    vectorizer, matrix = fit(prose)
    sums = dict(zip(vectorizer.get_feature_names_out(), matrix.sum(axis=0).A1, strict=True))
    places = {term: i for i, term in reversed(list(enumerate(term for text in prose for term in text)))}
    vectors, _ = retrieval.build_vectors([retrieval.count_terms(text) for text in prose])
    expected = sorted(sums, key=lambda term: (-round(sums[term], 9), places[term]))
    for n in (1, 8, 20, 10_000):
        assert retrieval.top_terms(vectors, n) == expected[:n], n


def test_an_empty_vector_stays_empty_and_is_like_nothing():
    assert retrieval.normalise({}) == {}
    assert retrieval.normalise({"a": 0.0}) == {"a": 0.0}
    assert retrieval.cosine({}, {"a": 1.0}) == 0.0
    assert retrieval.build_vectors([]) == ([], {})


def load_bm25(oracle: Oracle) -> tuple[list[dict[str, int]], list[dict[str, Any]]]:
    record = oracle("bm25")
    assert (record["k1"], record["b"]) == (retrieval.BM25_K1, retrieval.BM25_B)
    return [retrieval.count_terms(text.split()) for text in record["documents"]], record["cases"]


def test_bm25_equals_the_bm25l_variant_of_bm25s_without_its_delta(oracle: Oracle):
    documents, cases = load_bm25(oracle)
    for case in cases:
        assert retrieval.score_bm25(documents, case["query"]) == pytest.approx(case["bm25s.bm25l"], rel=1e-9), case[
            "name"
        ]
    assert any(any(case["bm25s.bm25l"]) for case in cases)


def test_bm25_equals_the_lucene_variant_of_bm25s_times_k1_plus_1(oracle: Oracle):
    documents, cases = load_bm25(oracle)
    for case in cases:
        expected = [(retrieval.BM25_K1 + 1) * score for score in case["bm25s.lucene"]]
        assert retrieval.score_bm25(documents, case["query"]) == pytest.approx(expected, rel=1e-9), case["name"]


def test_bm25_has_the_term_part_of_rank_bm25s_okapi_and_differs_in_the_idf_only(oracle: Oracle):
    documents, cases = load_bm25(oracle)
    n, compared = len(documents), 0
    for case in cases:
        df = sum(case["query"][0] in document for document in documents)
        # Okapi's own idf turns negative above half the documents, where rank-bm25 puts another constant in its place.
        if len(case["query"]) > 1 or df >= n / 2:
            continue
        odds = (n - df + 0.5) / (df + 0.5)
        expected = [score * math.log(1 + odds) / math.log(odds) for score in case["rank_bm25.BM25Okapi"]]
        assert retrieval.score_bm25(documents, case["query"]) == pytest.approx(expected, rel=1e-9), case["name"]
        compared += 1
    assert compared >= 2


def test_bm25_of_no_documents_or_only_empty_ones_is_nothing_or_0():
    assert retrieval.score_bm25([], ["a"]) == []
    assert retrieval.score_bm25([{}, {}], ["a"]) == [0.0, 0.0]


# Sixty-fourths are exact in binary, so that equal candidates are equal and the rule for ties is tested too.
SHARES = st.integers(0, 64).map(lambda n: n / 64)


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[float], list[list[float]]]:
    n = draw(st.integers(0, 9))
    relevance = draw(st.lists(SHARES, min_size=n, max_size=n))
    similarity = np.eye(n)
    for i in range(n):
        for j in range(i):
            similarity[i, j] = similarity[j, i] = draw(SHARES)
    return relevance, similarity.tolist()


def select_by_definition(relevance: list[float], similarity: list[list[float]]) -> list[tuple[int, float]]:
    """Take the argmax of share * relevance - (1 - share) * max similarity to the selected, until it is not above 0."""
    selected: list[tuple[int, float]] = []
    matrix = np.array(similarity).reshape(len(relevance), len(relevance))
    while len(selected) < len(relevance):
        before = [i for i, _ in selected]
        redundancy = matrix[:, before].max(axis=1) if before else np.zeros(len(relevance))
        values = retrieval.RELEVANCE_SHARE * np.array(relevance) - (1 - retrieval.RELEVANCE_SHARE) * redundancy
        values[before] = -np.inf
        best = int(np.argmax(values))
        if values[best] <= 0:
            break
        selected.append((best, float(values[best])))
    return selected


@REPEATABLE
@given(problems())
def test_mmr_equals_the_definition_written_out(problem: tuple[list[float], list[list[float]]]):
    found, expected = retrieval.select_mmr(*problem), select_by_definition(*problem)
    assert [i for i, _ in found] == [i for i, _ in expected]
    assert [v for _, v in found] == pytest.approx([v for _, v in expected], rel=1e-9)


def test_mmr_is_the_selection_of_pyversity_as_far_as_its_values_stay_above_0(oracle: Oracle):
    """pyversity goes on to the last candidate; the paper's selection stops where nothing is worth adding."""
    record = oracle("mmr")
    assert record["trade"] == retrieval.RELEVANCE_SHARE
    stopped = 0
    for case in record["cases"]:
        worth = sum(value > 0 for value in case["values"])
        found = retrieval.select_mmr(case["relevance"], case["similarity"])
        assert [i for i, _ in found] == case["order"][:worth], case["name"]
        # pyversity computes in single precision: about seven digits.
        assert [v for _, v in found] == pytest.approx(case["values"][:worth], rel=1e-5, abs=1e-6), case["name"]
        stopped += worth < len(case["values"])
    assert stopped >= 2


def test_mmr_prefers_the_first_of_equal_candidates_and_keeps_nothing_irrelevant():
    same = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    assert [i for i, _ in retrieval.select_mmr([0.5, 0.5, 0.5], same)] == [0, 1, 2]
    assert retrieval.select_mmr([0.0, 0.0, 0.0], same) == []


LETTERS = "abcdefghij"
SETS = st.frozensets(st.sampled_from(LETTERS))
MULTISETS = st.lists(st.sampled_from(LETTERS), max_size=25).map(Counter)


@REPEATABLE
@given(SETS, SETS)
def test_jaccard_equals_scipy_and_is_symmetric_and_between_0_and_1(a: frozenset[str], b: frozenset[str]):
    assert retrieval.jaccard(a, b) == retrieval.jaccard(b, a)
    assert 0.0 <= retrieval.jaccard(a, b) <= 1.0
    if a or b:
        u, v = ([letter in side for letter in LETTERS] for side in (a, b))
        assert retrieval.jaccard(a, b) == pytest.approx(1 - distance.jaccard(u, v), rel=1e-9, abs=1e-12)


@REPEATABLE
@given(MULTISETS, MULTISETS)
def test_multiset_jaccard_equals_scipy_and_is_symmetric_and_between_0_and_1(a: Counter[str], b: Counter[str]):
    """scipy has the Bray-Curtis distance d = sum |a - b| / sum (a + b); minima over maxima is (1 - d) / (1 + d)."""
    assert retrieval.multiset_jaccard(a, b) == retrieval.multiset_jaccard(b, a)
    assert 0.0 <= retrieval.multiset_jaccard(a, b) <= 1.0
    if a or b:
        d = distance.braycurtis([a[letter] for letter in LETTERS], [b[letter] for letter in LETTERS])
        assert retrieval.multiset_jaccard(a, b) == pytest.approx((1 - d) / (1 + d), rel=1e-9, abs=1e-12)


@REPEATABLE
@given(SETS, SETS)
def test_overlap_is_1_exactly_when_one_set_holds_the_other_and_0_when_nothing_is_shared(
    a: frozenset[str], b: frozenset[str]
):
    assert retrieval.overlap(a, b) == retrieval.overlap(b, a)
    assert (retrieval.overlap(a, b) == 1.0) == (bool(a and b) and (a <= b or b <= a))
    assert (retrieval.overlap(a, b) > 0.0) == bool(a & b)
    assert retrieval.jaccard(a, b) <= retrieval.overlap(a, b)


def test_empty_sets_have_nothing_in_common():
    assert (
        retrieval.jaccard(frozenset(), frozenset())
        == retrieval.overlap(frozenset(), {"a"})
        == retrieval.multiset_jaccard({}, {})
        == 0.0
    )
