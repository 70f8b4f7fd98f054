"""Overlaps against scipy's distances on the same sets and counts."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import distance

from steelyard.components.arithmetic.overlap import jaccard, multiset_jaccard, overlap

REPEATABLE = settings(deadline=None, derandomize=True, max_examples=25)
LETTERS = "abcdefghij"
SETS = st.frozensets(st.sampled_from(LETTERS))
COUNTS = st.lists(st.sampled_from(LETTERS), max_size=25).map(Counter)


@REPEATABLE
@given(SETS, SETS)
def test_jaccard_equals_scipy_and_is_symmetric_and_between_0_and_1(a: frozenset[str], b: frozenset[str]):
    assert jaccard(a, b) == jaccard(b, a)
    assert 0.0 <= jaccard(a, b) <= 1.0
    if a or b:
        u, v = ([letter in side for letter in LETTERS] for side in (a, b))
        assert jaccard(a, b) == pytest.approx(1 - distance.jaccard(u, v), rel=1e-9, abs=1e-12)


@REPEATABLE
@given(COUNTS, COUNTS)
def test_multiset_jaccard_equals_scipy_and_is_symmetric_and_between_0_and_1(a: Counter[str], b: Counter[str]):
    """scipy has the Bray-Curtis distance d = sum |a - b| / sum (a + b); minima over maxima is (1 - d) / (1 + d)."""
    assert multiset_jaccard(a, b) == multiset_jaccard(b, a)
    assert 0.0 <= multiset_jaccard(a, b) <= 1.0
    if a or b:
        d = distance.braycurtis([a[letter] for letter in LETTERS], [b[letter] for letter in LETTERS])
        assert multiset_jaccard(a, b) == pytest.approx((1 - d) / (1 + d), rel=1e-9, abs=1e-12)


@REPEATABLE
@given(SETS, SETS)
def test_overlap_is_1_exactly_when_one_set_holds_the_other_and_0_when_nothing_is_shared(
    a: frozenset[str], b: frozenset[str]
):
    assert overlap(a, b) == overlap(b, a)
    assert (overlap(a, b) == 1.0) == (bool(a and b) and (a <= b or b <= a))
    assert (overlap(a, b) > 0.0) == bool(a & b)
    assert jaccard(a, b) <= overlap(a, b)


def test_empty_sets_have_nothing_in_common():
    assert jaccard(frozenset(), frozenset()) == overlap(frozenset(), {"a"}) == multiset_jaccard({}, {}) == 0.0
