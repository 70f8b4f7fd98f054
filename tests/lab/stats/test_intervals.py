"""Wilson's interval, binomial tails and the sign test against scipy."""

import pytest
import scipy.stats

from steelyard.lab.stats.intervals import binomial_tail, normal_quantile, sign_test, wilson


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95, 0.99, 0.999])
def test_the_normal_quantile_equals_scipys(level: float):
    assert normal_quantile(level) == pytest.approx(scipy.stats.norm.ppf((1 + level) / 2), abs=1e-12)


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0])
def test_a_level_outside_0_to_1_is_refused(level: float):
    with pytest.raises(ValueError, match="level"):
        normal_quantile(level)


@pytest.mark.parametrize("n", [1, 2, 5, 16, 150, 4000])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_wilson_equals_scipys_at_the_ends_and_between(n: int, level: float):
    for successes in {0, 1, n // 3, n - 1, n}:
        expected = scipy.stats.binomtest(successes, n).proportion_ci(level, method="wilson")
        assert wilson(successes, n, level) == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize("n", [1, 3, 40])
def test_wilson_stays_in_the_unit_interval_and_around_the_share(n: int):
    for successes in range(n + 1):
        bounds = wilson(successes, n)
        assert bounds is not None
        assert 0 <= bounds[0] <= successes / n <= bounds[1] <= 1
        mirrored = wilson(n - successes, n)
        assert mirrored is not None
        assert bounds == pytest.approx((1 - mirrored[1], 1 - mirrored[0]))


def test_a_share_of_no_trials_is_undefined_and_more_successes_than_trials_are_refused():
    assert wilson(0, 0) is None
    with pytest.raises(ValueError, match="5 of 4"):
        wilson(5, 4)
    with pytest.raises(ValueError, match="-1 of 4"):
        binomial_tail(-1, 4)
    with pytest.raises(ValueError, match="chance"):
        binomial_tail(1, 4, 1.5)


@pytest.mark.parametrize("chance", [0.0, 0.01, 0.3, 0.5, 0.97, 1.0])
@pytest.mark.parametrize("n", [0, 1, 7, 60, 2500])
def test_the_binomial_tail_equals_scipys_even_where_coefficients_leave_the_floats(n: int, chance: float):
    for successes in {0, n // 4, n // 2, (n + 1) // 2, n}:
        expected = scipy.stats.binom.sf(successes - 1, n, chance)
        assert binomial_tail(successes, n, chance) == pytest.approx(expected, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize(("ups", "downs"), [(0, 1), (1, 1), (5, 0), (9, 2), (2, 9), (40, 41), (900, 700)])
def test_the_sign_test_equals_scipys_exact_one(ups: int, downs: int):
    assert sign_test(ups, downs) == pytest.approx(scipy.stats.binomtest(ups, ups + downs).pvalue, rel=1e-9)


def test_a_sign_test_of_ties_only_shows_nothing():
    assert sign_test(0, 0) == 1.0
