"""Small arithmetic against numpy and scipy, and the shape of the freshness curve."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.components.arithmetic.numbers import clamp, mean, piecewise, variation
from steelyard.scoring.freshness import AGE_POINTS

REPEATABLE = settings(deadline=None, derandomize=True, max_examples=25)
FINITE = st.floats(-1e6, 1e6)
POSITIVE = st.lists(st.floats(1e-3, 1e6), min_size=1, max_size=60)


@REPEATABLE
@given(FINITE, FINITE, FINITE)
def test_clamp_equals_numpy_clip(value: float, a: float, b: float):
    low, high = sorted((a, b))
    assert clamp(value, low, high) == np.clip(value, low, high)


@REPEATABLE
@given(POSITIVE)
def test_mean_and_variation_equal_numpy_and_scipy(values: list[float]):
    assert mean(values) == pytest.approx(np.mean(values), rel=1e-9)
    # The absolute part: equal values have the variation 0, of which rounding leaves 1e-16.
    assert variation(values) == pytest.approx(scipy.stats.variation(values), rel=1e-9, abs=1e-12)


def test_mean_and_variation_of_nothing_and_of_mean_0_are_0():
    assert mean([]) == variation([]) == variation([-1.0, 1.0]) == variation([0.0, 0.0]) == 0.0


@REPEATABLE
@given(st.lists(st.integers(-100, 100), min_size=1, max_size=8, unique=True), st.data())
def test_piecewise_equals_numpy_interp(places: list[int], data: st.DataObject):
    heights = data.draw(st.lists(st.floats(-100, 100), min_size=len(places), max_size=len(places)))
    x = data.draw(st.floats(-150, 150))
    expected = np.interp(x, sorted(places), heights)
    # The absolute part: a line through 0 crosses it with an error of the size of its ends, not of 0.
    assert piecewise(x, list(zip(sorted(places), heights, strict=True))) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@REPEATABLE
@given(st.floats(-100, 4000), st.floats(-100, 4000))
def test_the_freshness_curve_never_rises_with_age_and_stays_between_its_ends(a: float, b: float):
    younger, older = sorted((a, b))
    assert 5.0 <= piecewise(older, AGE_POINTS) <= piecewise(younger, AGE_POINTS) <= 100.0


def test_the_freshness_curve_passes_through_its_knots():
    assert [piecewise(days, AGE_POINTS) for days, _ in AGE_POINTS] == [points for _, points in AGE_POINTS]
    assert piecewise(0, AGE_POINTS) == 100.0
    assert piecewise(100_000, AGE_POINTS) == 5.0
