"""Quantiles against numpy, the t quantile against scipy."""

import itertools

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.support.quantile import quantile, t_quantile_975

REPEATABLE = settings(deadline=None, derandomize=True, max_examples=50)
VALUES = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60)
SHARE = st.floats(0, 1)


@REPEATABLE
@given(VALUES, SHARE)
def test_quantile_equals_numpys_default(values: list[float], q: float):
    # The absolute part: between values of size 1e6 the last digit is worth 1e-10, however near 0 the result is.
    assert quantile(values, q) == pytest.approx(np.quantile(values, q), rel=1e-9, abs=1e-9)


def test_a_quantile_of_no_values_or_outside_0_to_1_is_refused():
    with pytest.raises(ValueError, match="no values"):
        quantile([], 0.5)
    with pytest.raises(ValueError, match="not in"):
        quantile([1.0], 1.1)


def test_t_quantile_equals_scipy_to_the_four_decimals_of_its_table_and_beyond_it_nearly():
    """The expansion stops at the second power of 1/freedom; it is farthest off where it starts, 0.00009 at 31."""
    for freedom in range(1, 31):
        assert t_quantile_975(freedom) == round(float(scipy.stats.t.ppf(0.975, freedom)), 4)
    freedoms = [*range(31, 400), 1000, 10_000, 10**6]
    expected = scipy.stats.t.ppf(0.975, freedoms)
    assert [t_quantile_975(n) for n in freedoms] == pytest.approx(list(expected), rel=0, abs=1e-4)


def test_t_quantile_falls_with_every_degree_of_freedom_towards_the_normal_quantile():
    points = [t_quantile_975(n) for n in range(1, 500)]
    assert all(a > b for a, b in itertools.pairwise(points))
    assert t_quantile_975(10**9) == pytest.approx(scipy.stats.norm.ppf(0.975), abs=1e-6)
    with pytest.raises(ValueError, match="0 degrees"):
        t_quantile_975(0)
