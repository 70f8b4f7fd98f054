"""The paired t-test, Wilcoxon's signed ranks and Bonferroni's correction against scipy."""

import math
import random

import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.lab.stats.paired import bonferroni, paired_t, sign_test, student_p, t_interval, wilcoxon

REPEATABLE = settings(deadline=None, derandomize=True, max_examples=100)
DIFFERENCES = st.lists(st.floats(-1e3, 1e3).map(lambda d: round(d, 3)), min_size=2, max_size=60)


def sample(seed: int) -> list[float]:
    """Differences of every number from 2 to 80 around a mean that is sometimes 0; with an even seed full of ties."""
    rng = random.Random(seed)
    n = 2 + 13 * seed % 79
    if seed % 2:
        return [rng.gauss(seed % 3 / 2, 1) for _ in range(n)]
    return [float(rng.randrange(-3, 5)) for _ in range(n)]


def test_the_paired_t_test_equals_scipys():
    for seed in range(20):
        differences = sample(seed)
        found = paired_t(differences)
        if min(differences) == max(differences):
            assert found is None
            continue
        expected = scipy.stats.ttest_1samp(differences, 0.0)
        assert found is not None
        assert found.statistic == pytest.approx(expected.statistic, rel=1e-12, abs=1e-14)
        assert found.p == pytest.approx(expected.pvalue, rel=1e-9)
        assert found.n == len(differences)


def test_the_t_of_four_differences_by_hand():
    # 1, 2, 3, 6: mean 3, squares 4 + 1 + 0 + 9 = 14, variance 14/3; t = 3 / sqrt(14/12).
    found = paired_t([1, 2, 3, 6])
    assert found is not None
    assert found.statistic == pytest.approx(3 / math.sqrt(14 / 12))
    # With 1 degree of freedom t is Cauchy's distribution: P(|t| > 1) is a half.
    assert student_p(1.0, 1) == pytest.approx(0.5, abs=1e-14)


def test_students_p_at_the_ends_and_for_freedom_that_is_no_whole_number():
    assert student_p(0.0, 5) == 1.0
    assert student_p(math.inf, 5) == student_p(1e200, 5) == 0.0
    assert student_p(1e-9, 5) == pytest.approx(1.0, abs=1e-8)
    assert student_p(-2.5, 7.25) == pytest.approx(2 * scipy.stats.t.sf(2.5, 7.25), rel=1e-9)


def test_fifty_distinct_differences_are_counted_out_and_the_others_approximated():
    distinct = [(k + 1.0) * (-1 if k % 3 else 1) for k in range(51)]
    for differences, method in ((distinct[:50], "exact"), (distinct, "approx"), ([0.1] * 6, "approx")):
        found = wilcoxon(differences)
        expected = scipy.stats.wilcoxon(differences, correction=False, method=method)
        assert found is not None
        assert found.p == pytest.approx(expected.pvalue, rel=1e-12), differences


def test_wilcoxon_by_hand():
    # Ranks 1 to 4 with signs + + - +: the smaller sum is 3. Of 16 subsets {}, 1, 2, 3 and 1 + 2 sum to at most 3.
    found = wilcoxon([0.1, 0.2, -0.3, 0.4])
    assert found is not None
    assert (found.statistic, found.p, found.n) == (3, 2 * 5 / 16, 4)
    # All up: one subset of 32 on either side.
    found = wilcoxon([1, 2, 3, 4, 5])
    assert found is not None
    assert (found.statistic, found.p) == (0, 2 / 32)


def test_zeros_are_dropped_and_the_rest_stays_exact():
    assert wilcoxon([0.0, 0.1, 0.0, 0.2, -0.3, -0.0, 0.4]) == wilcoxon([0.1, 0.2, -0.3, 0.4])


@REPEATABLE
@given(DIFFERENCES)
def test_turning_the_pairs_around_changes_the_sign_and_nothing_else(differences: list[float]):
    turned = [-d for d in differences]
    assert wilcoxon(turned) == wilcoxon(differences)
    one, other = paired_t(differences), paired_t(turned)
    assert (one and (one.statistic, one.p)) == (other and (-other.statistic, other.p))
    for found in (one, wilcoxon(differences)):
        assert found is None or 0 <= found.p <= 1


def test_a_t_without_variation_and_ranks_of_fewer_than_two_differences_are_undefined():
    """The mean of three times 0.1 is not 0.1: a test of the variance against 0 would let it pass."""
    for differences in ([], [1.0], [0.0, 0.0], [0.1] * 3):
        assert paired_t(differences) is None, differences
    for differences in ([], [1.0], [0.0] * 5, [0.0, 2.0, 0.0]):
        assert wilcoxon(differences) is None, differences


def test_differences_too_small_to_be_squared_still_have_a_t():
    small, usual = paired_t([1e-200, 2e-200, 4e-200]), paired_t([1.0, 2.0, 4.0])
    assert small is not None
    assert usual is not None
    assert small.p == pytest.approx(usual.p)


def test_what_is_no_number_is_refused():
    for test in (paired_t, wilcoxon):
        for wrong in (math.nan, math.inf, -math.inf):
            with pytest.raises(ValueError, match="finite"):
                test([1.0, wrong, 2.0])


def test_the_sign_test_by_hand():
    for ups, downs, p in ((0, 1, 1.0), (1, 1, 1.0), (5, 0, 2 / 32), (1, 4, 12 / 32), (0, 0, 1.0)):
        assert sign_test(ups, downs) == pytest.approx(p), (ups, downs)


def test_bonferroni_multiplies_by_the_number_of_questions():
    assert bonferroni([0.01, 0.2, 0.5]) == pytest.approx([0.03, 0.6, 1.0])
    assert bonferroni([]) == []
    for wrong in (-0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match="p-value"):
            bonferroni([0.5, wrong])


def test_students_interval_equals_scipys_and_leaves_out_zero_where_the_test_rejects():
    rng = random.Random(0)
    for _ in range(50):
        differences = [rng.gauss(0.4, 1) for _ in range(rng.randint(3, 60))]
        found, test = t_interval(differences), paired_t(differences)
        assert found
        assert test
        low, high = found
        expected = scipy.stats.ttest_1samp(differences, 0).confidence_interval(0.95)
        assert (low, high) == pytest.approx((expected.low, expected.high))
        assert (low > 0 or high < 0) == (test.p < 0.05)
    around_zero = t_interval([-1.0, 1.0])  # a mean of zero has one, too
    assert around_zero
    assert around_zero[0] < 0 < around_zero[1]
    assert t_interval([2.0, 2.0]) is None
    assert t_interval([1.0]) is None
