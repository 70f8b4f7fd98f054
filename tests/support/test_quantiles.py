"""Quantiles against numpy, the t quantile against scipy."""

import itertools
import statistics

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.support.quantile import quantile
from steelyard.support.t_quantile import t_quantile_975

REPEATABLE = settings(deadline=None, derandomize=True, max_examples=50)
VALUES = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60)
SHARE = st.floats(0, 1)


@REPEATABLE
@given(VALUES, SHARE)
def test_quantile_equals_numpys_default(values: list[float], q: float):
    # The absolute part: between values of size 1e6 the last digit is worth 1e-10, however near 0 the result is.
    assert quantile(values, q) == pytest.approx(np.quantile(values, q), rel=1e-9, abs=1e-9)


@REPEATABLE
@given(VALUES, SHARE, SHARE)
def test_quantile_never_falls_as_q_grows_and_stays_between_the_extremes(values: list[float], a: float, b: float):
    low, high = sorted((a, b))
    # a + (b - a) t may pass b in the last digit; numpy takes care of that, a summary line need not.
    slack = 1e-12 * max(map(abs, values))
    assert quantile(values, low) <= quantile(values, high) + slack
    assert min(values) - slack <= quantile(values, low)
    assert quantile(values, high) <= max(values) + slack


@REPEATABLE
@given(VALUES)
def test_the_middle_quantile_is_the_median_and_the_ends_are_the_extremes(values: list[float]):
    assert quantile(values, 0.5) == pytest.approx(statistics.median(values), rel=1e-9, abs=1e-9)
    assert quantile(values, 0.0) == min(values)
    assert quantile(values, 1.0) == max(values)


def test_a_quantile_of_no_values_or_outside_0_to_1_is_refused():
    with pytest.raises(ValueError, match="no values"):
        quantile([], 0.5)
    with pytest.raises(ValueError, match="not in"):
        quantile([1.0], 1.1)


def test_t_quantile_equals_scipy_to_the_four_decimals_of_the_table():
    for freedom in range(1, 31):
        assert t_quantile_975(freedom) == round(float(scipy.stats.t.ppf(0.975, freedom)), 4)


def test_t_quantile_beyond_the_table_equals_scipy_to_one_ten_thousandth():
    """The expansion stops at the second power of 1/freedom; it is farthest off where it starts, 0.00009 at 31."""
    freedom = [*range(31, 400), 1000, 10_000, 10**6]
    expected = scipy.stats.t.ppf(0.975, freedom)
    assert [t_quantile_975(n) for n in freedom] == pytest.approx(list(expected), rel=0, abs=1e-4)


def test_t_quantile_falls_with_every_degree_of_freedom_towards_the_normal_quantile():
    points = [t_quantile_975(n) for n in range(1, 500)]
    assert all(a > b for a, b in itertools.pairwise(points))
    assert t_quantile_975(10**9) == pytest.approx(scipy.stats.norm.ppf(0.975), abs=1e-6)
    with pytest.raises(ValueError, match="0 degrees"):
        t_quantile_975(0)
