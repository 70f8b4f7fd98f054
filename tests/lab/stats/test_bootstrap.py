"""Resampling: fixed draws, percentile intervals against numpy, undefined resamples kept in sight."""

import random
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.lab.stats.intervals import (
    bootstrap_interval,
    draw_resamples,
    percentile_interval,
    resample_means,
)

REPEATABLE = settings(deadline=None, derandomize=True, max_examples=50)


def test_the_draws_of_a_seed_are_fixed():
    """Written down once: another order of the generator's calls would change every published interval."""
    assert draw_resamples(5, 3, random.Random(7)) == [[1, 0, 3, 0, 2], [1, 0, 2, 0, 2], [0, 0, 2, 4, 0]]


@REPEATABLE
@given(st.integers(1, 30), st.integers(0, 10), st.integers(0, 2**32))
def test_a_resample_has_as_many_indices_as_there_are_sources(n: int, count: int, seed: int):
    draws = draw_resamples(n, count, random.Random(seed))
    assert len(draws) == count
    assert all(len(draw) == n and set(draw) <= set(range(n)) for draw in draws)


def test_a_resample_of_nothing_is_refused():
    with pytest.raises(ValueError, match="nothing"):
        draw_resamples(0, 10, random.Random(1))


@REPEATABLE
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=80))
def test_the_interval_equals_numpys_quantiles(values: list[float]):
    low, high = percentile_interval(values)
    expected = np.quantile(values, [0.025, 0.975])
    assert (low, high) == pytest.approx(tuple(expected), rel=1e-9, abs=1e-8)


def test_an_interval_of_no_values_or_of_nan_is_refused():
    with pytest.raises(ValueError, match="no values"):
        percentile_interval([])
    with pytest.raises(ValueError, match="NaN"):
        percentile_interval([1.0, float("nan"), 0.0])


def test_the_bootstrap_of_a_mean_covers_what_the_formula_covers():
    rng = random.Random(3)
    values = [rng.gauss(50, 8) for _ in range(150)]
    low, high = bootstrap_interval(150, lambda draw: sum(values[i] for i in draw) / len(draw), random.Random(4))
    centre, error = np.mean(values), np.std(values, ddof=1) / np.sqrt(150)
    assert low == pytest.approx(centre - 1.96 * error, abs=0.25 * error)
    assert high == pytest.approx(centre + 1.96 * error, abs=0.25 * error)


def test_the_same_seed_gives_the_same_interval_and_another_seed_another():
    def spread(draw):
        return float(max(draw) - min(draw)) + sum(draw) / 100

    assert bootstrap_interval(20, spread, random.Random(1)) == bootstrap_interval(20, spread, random.Random(1))
    assert bootstrap_interval(20, spread, random.Random(1)) != bootstrap_interval(20, spread, random.Random(2))


def test_undefined_resamples_are_not_averaged_in():
    asked = iter([1.0, None, 3.0, None])
    found = bootstrap_interval(2, lambda draw: next(asked), random.Random(0), count=4)
    assert found == pytest.approx((1.05, 2.95))
    assert bootstrap_interval(2, lambda draw: None, random.Random(0), count=4) == (None, None)


def test_means_equal_numpys_in_every_draw_of_every_column():
    rng = random.Random(11)
    columns = [[rng.uniform(0, 100) for _ in range(37)] for _ in range(4)]
    draws = draw_resamples(37, 50, rng)
    assert np.allclose(resample_means(columns, draws), np.array(columns)[:, np.array(draws)].mean(axis=2), rtol=1e-13)


def test_a_thousand_draws_of_twenty_columns_stay_cheap():
    """0.15 s on one core of 2026; the bound is four times that."""
    rng = random.Random(5)
    columns = [[rng.uniform(0, 100) for _ in range(150)] for _ in range(20)]
    draws = draw_resamples(150, 1000, rng)
    spent = []
    for _ in range(3):
        start = time.process_time()
        resample_means(columns, draws)
        spent.append(time.process_time() - start)
    assert min(spent) < 0.6
