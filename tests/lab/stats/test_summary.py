"""The standard deviation against numpy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.lab.stats.intervals import standard_deviation


@settings(deadline=None, derandomize=True, max_examples=50)
@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=60))
def test_the_standard_deviation_equals_numpys_with_one_degree_of_freedom_less(values: list[float]):
    # The absolute part: equal values of size 1e6 have the deviation 0, of which rounding leaves 1e-10.
    assert standard_deviation(values) == pytest.approx(np.std(values, ddof=1), rel=1e-9, abs=1e-9)


def test_the_standard_deviation_of_fewer_than_two_values_is_0():
    assert standard_deviation([]) == standard_deviation([7.0]) == 0.0
