"""TF-IDF against scikit-learn's TfidfVectorizer, for single tokens and with bigrams."""

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from steelyard.components.arithmetic import tfidf

REPEATABLE = settings(deadline=None, derandomize=True, max_examples=25)
Texts = list[list[str]]
TEXTS = st.lists(st.lists(st.sampled_from(("a", "b", "c", "dd", "ee", "fff")), max_size=12), min_size=1, max_size=7)


def itself(tokens: list[str]) -> list[str]:
    return tokens


def single(texts: Texts) -> tuple[TfidfVectorizer, Any]:
    vectorizer = TfidfVectorizer(analyzer=itself)
    return vectorizer, vectorizer.fit_transform(texts)


def with_bigrams(texts: Texts) -> tuple[TfidfVectorizer, Any]:
    vectorizer = TfidfVectorizer(
        tokenizer=itself, preprocessor=itself, token_pattern=None, lowercase=False, ngram_range=(1, 2)
    )
    return vectorizer, vectorizer.fit_transform(texts)


def assert_equal(documents: list[dict[str, int]], vectorizer: TfidfVectorizer, matrix: Any) -> None:
    """Every weight, every idf, the vocabulary, and every cosine between two documents."""
    ours, weight = tfidf.build_vectors(documents)
    terms = vectorizer.get_feature_names_out()
    assert weight.keys() == set(terms)
    assert [weight[term] for term in terms] == pytest.approx(list(vectorizer.idf_), rel=1e-9)
    for vector, row in zip(ours, matrix.toarray(), strict=True):
        assert [vector.get(term, 0.0) for term in terms] == pytest.approx(list(row), rel=1e-9)
    cosines = cosine_similarity(matrix)
    for i, a in enumerate(ours):
        assert [tfidf.cosine(a, b) for b in ours] == pytest.approx(list(cosines[i]), rel=1e-9)


@REPEATABLE
@given(TEXTS)
def test_tfidf_equals_scikit_learn_on_token_lists(texts: Texts):
    assume(any(texts))  # scikit-learn refuses an empty vocabulary
    assert_equal([tfidf.count_terms(text) for text in texts], *single(texts))


@REPEATABLE
@given(TEXTS)
def test_tfidf_with_bigrams_equals_scikit_learn_with_ngrams_1_to_2(texts: Texts):
    assume(any(texts))
    assert_equal([tfidf.count_terms([*text, *tfidf.bigrams(text)]) for text in texts], *with_bigrams(texts))


def test_tfidf_of_prose_equals_scikit_learn(prose: Texts):
    assert len(prose) >= 4
    assert_equal([tfidf.count_terms(text) for text in prose], *single(prose))
    assert_equal([tfidf.count_terms([*text, *tfidf.bigrams(text)]) for text in prose], *with_bigrams(prose))


@pytest.mark.parametrize("n", [1, 8, 20, 10_000])
def test_the_top_terms_are_those_of_largest_column_sum_in_scikit_learn(prose: Texts, n: int):
    vectorizer, matrix = single(prose)
    sums = dict(zip(vectorizer.get_feature_names_out(), matrix.sum(axis=0).A1, strict=True))
    places = {term: i for i, term in reversed(list(enumerate(term for text in prose for term in text)))}
    vectors, _ = tfidf.build_vectors([tfidf.count_terms(text) for text in prose])
    expected = sorted(sums, key=lambda term: (-round(sums[term], 9), places[term]))
    assert tfidf.top_terms(vectors, n) == expected[:n]


def test_an_empty_vector_stays_empty_and_is_like_nothing():
    assert tfidf.normalise({}) == {}
    assert tfidf.normalise({"a": 0.0}) == {"a": 0.0}
    assert tfidf.cosine({}, {"a": 1.0}) == 0.0
    assert tfidf.build_vectors([]) == ([], {})
