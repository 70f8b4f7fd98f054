"""Correlations, exact permutation and AUC against scipy."""

import itertools
import math
import random
import warnings

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.lab.stats.correlation import auc, pearson, permutation_p, ranks, spearman

REPEATABLE = settings(deadline=None, derandomize=True, max_examples=60)
NUMBERS = st.floats(-1e6, 1e6)
FEW_VALUES = st.integers(0, 4).map(float)  # ties everywhere
PAIRS = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=2, max_size=40)


def samples(seed: int) -> tuple[list[float], list[float]]:
    """Pairs of every length from 2 to 41; with an even seed full of ties."""
    rng = random.Random(seed)
    n = 2 + seed % 40
    if seed % 2:
        return [rng.gauss(0, 10) for _ in range(n)], [rng.gauss(3, 1) for _ in range(n)]
    return [float(rng.randrange(4)) for _ in range(n)], [float(rng.randrange(3)) for _ in range(n)]


def test_pearson_and_spearman_equal_scipys():
    for seed in range(15):
        x, y = samples(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # scipy warns of constant columns, where we have None
            expected = (scipy.stats.pearsonr(x, y).statistic, scipy.stats.spearmanr(x, y).statistic)
        for ours, theirs in zip((pearson(x, y), spearman(x, y)), expected, strict=True):
            if math.isnan(theirs):
                assert ours is None
            else:
                assert ours == pytest.approx(theirs, abs=1e-12)


def test_ranks_equal_scipys_averages():
    for seed in range(20):
        x, y = samples(seed)
        assert ranks(x) == list(scipy.stats.rankdata(x))
        assert ranks(y) == list(scipy.stats.rankdata(y))
    assert ranks([]) == []


def test_a_correlation_without_variation_is_undefined():
    """The mean of three times 0.1 is not 0.1: a test of the variance against 0 would let it pass."""
    rising = [1.0, 2.0, 3.0]
    for x, y in (([], []), ([1.0], [2.0]), ([0.1] * 3, rising), (rising, [0.7] * 3), ([1e9] * 5, [1e9] * 5)):
        assert pearson(x, y) is None, (x, y)
        assert spearman(x, y) is None, (x, y)
        assert permutation_p(x, y) is None, (x, y)


def test_a_correlation_of_different_lengths_or_without_numbers_is_refused():
    with pytest.raises(ValueError, match="3 values with 2"):
        pearson([1, 2, 3], [1, 2])
    with pytest.raises(ValueError, match="finite"):
        pearson([1, math.nan], [1, 2])
    with pytest.raises(ValueError, match="NaN"):
        spearman([1, math.nan], [1, 2])


def test_differences_too_small_to_be_squared_still_correlate():
    assert pearson([0.0, 1e-200, 2e-200], [1.0, 2.0, 3.0]) == pytest.approx(1.0)


@REPEATABLE
@given(PAIRS)
def test_a_correlation_is_symmetric_and_within_one(pairs: list[tuple[float, float]]):
    x, y = [p[0] for p in pairs], [p[1] for p in pairs]
    r = pearson(x, y)
    assert r == pearson(y, x)
    assert r is None or -1 <= r <= 1


def test_the_permutation_p_equals_scipys_exact_test():
    for seed in range(8):
        rng = random.Random(seed)
        n = 3 + seed % 4
        x = [float(rng.randrange(9)) for _ in range(n - 1)] + [9.0]
        y = [float(rng.randrange(4)) for _ in range(n - 1)] + [5.0]
        expected = scipy.stats.permutation_test(
            (np.array(y),),
            lambda order, x=x: float(np.corrcoef(x, order)[0, 1]),
            permutation_type="pairings",
            alternative="greater",
            n_resamples=np.inf,
        )
        assert permutation_p(x, y) == pytest.approx(expected.pvalue), seed


def test_eight_pairs_are_permuted_and_nine_refused():
    assert permutation_p([1, 2, 3, 4, 5], [10, 8, 6, 4, 2]) == 1.0
    x = [float(v) for v in range(8)]
    assert permutation_p(x, [v**3 for v in x]) == 1 / math.factorial(8)
    with pytest.raises(ValueError, match="at most 8"):
        permutation_p([*x, 8.0], [*x, 8.0])


@REPEATABLE
@given(st.lists(FEW_VALUES, min_size=1, max_size=25), st.lists(FEW_VALUES, min_size=1, max_size=25))
def test_auc_counts_the_pairs_with_ties_half(positives: list[float], negatives: list[float]):
    pairs = list(itertools.product(positives, negatives))
    expected = sum((p > n) + (p == n) / 2 for p, n in pairs) / len(pairs)
    assert auc(positives, negatives) == pytest.approx(expected, abs=1e-12)
    statistic = scipy.stats.mannwhitneyu(positives, negatives, method="asymptotic").statistic
    assert auc(positives, negatives) == pytest.approx(statistic / len(pairs), abs=1e-12)


def test_auc_of_an_empty_group_is_undefined():
    assert auc([], [1.0]) is None
    assert auc([1.0], []) is None
