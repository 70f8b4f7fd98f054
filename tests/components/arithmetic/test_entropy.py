"""entropy against scipy, and the paper's worked examples of what is made of it."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.components.arithmetic.entropy import SMOOTHING, entropy
from steelyard.components.shannon_entropy import ShannonEntropy

REPEATABLE = settings(deadline=None, derandomize=True, max_examples=25)
COUNTS = st.lists(st.integers(1, 10**6), min_size=1, max_size=120)


@REPEATABLE
@given(COUNTS)
def test_entropy_equals_scipy_on_the_smoothed_counts(counts: list[int]):
    expected = scipy.stats.entropy(np.array(counts) + SMOOTHING, base=2)
    assert entropy(counts) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 43, 100])
def test_entropy_of_equal_counts_is_the_logarithm_of_their_number(n: int):
    assert entropy([7] * n) == pytest.approx(math.log2(n), rel=1e-9, abs=1e-12)


def test_entropy_of_nothing_is_0():
    assert entropy([]) == 0.0


@pytest.mark.parametrize(("bits", "vocabulary", "value"), [(5.414, 43, 100.0), (3.384, 13, 95.2)])
def test_shannon_entropy_gives_the_values_of_the_papers_worked_examples(bits: float, vocabulary: int, value: float):
    """The paper prints its inputs to three decimals and its values to one."""
    assert round(ShannonEntropy().value({"H": bits, "V": vocabulary}), 1) == value
