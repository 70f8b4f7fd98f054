"""Resampling against numpy, Wilson's interval by hand, Fisher's against scipy, the standard deviation against numpy."""

import math
import random

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.lab.stats.correlation import auc
from steelyard.lab.stats.intervals import (
    auc_interval,
    bootstrap_interval,
    draw_resamples,
    fisher_interval,
    percentile_interval,
    resample_means,
    standard_deviation,
    wilson_interval,
)

REPEATABLE = settings(deadline=None, derandomize=True, max_examples=50)


def test_the_draws_of_a_seed_are_fixed():
    """Written down once: another order of the generator's calls would change every published interval."""
    assert draw_resamples(5, 3, random.Random(7)) == [[1, 0, 3, 0, 2], [1, 0, 2, 0, 2], [0, 0, 2, 4, 0]]
    with pytest.raises(ValueError, match="nothing"):
        draw_resamples(0, 10, random.Random(1))


@REPEATABLE
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=80))
def test_the_interval_equals_numpys_quantiles(values: list[float]):
    expected = np.quantile(values, [0.025, 0.975])
    assert percentile_interval(values) == pytest.approx(tuple(expected), rel=1e-9, abs=1e-8)


def test_the_interval_of_an_auc_is_that_of_the_resampled_aucs():
    rng = random.Random(3)
    first, second = (([rng.gauss(m, 1) for _ in range(25)], [rng.gauss(0, 1) for _ in range(25)]) for m in (0.3, 1.0))
    resampled = [
        [auc([p[i] for i in draw], [n[i] for i in draw]) or 0.0 for p, n in (first, second)]
        for draw in draw_resamples(25, 200, random.Random(1))
    ]
    assert auc_interval([first], random.Random(1), 200) == pytest.approx(percentile_interval([a for a, _ in resampled]))
    gains = percentile_interval([b - a for a, b in resampled])
    assert auc_interval([first, second], random.Random(1), 200) == pytest.approx(gains)
    assert auc_interval([([1.0] * 9, [0.0] * 9)], random.Random(1)) is None


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


def test_undefined_resamples_are_not_averaged_in():
    results = iter([1.0, None, 3.0, None])
    interval = bootstrap_interval(2, lambda draw: next(results), random.Random(0), count=4)
    assert interval == pytest.approx((1.05, 2.95))
    assert bootstrap_interval(2, lambda draw: None, random.Random(0), count=4) == (None, None)


def test_means_equal_numpys_in_every_draw_of_every_column():
    rng = random.Random(11)
    columns = [[rng.uniform(0, 100) for _ in range(37)] for _ in range(4)]
    draws = draw_resamples(37, 50, rng)
    assert np.allclose(resample_means(columns, draws), np.array(columns)[:, np.array(draws)].mean(axis=2), rtol=1e-13)


def test_wilsons_interval_by_its_formula():
    z = scipy.stats.norm.ppf(0.975)
    for n in (1, 3, 8, 40):
        for successes in range(n + 1):
            share = successes / n
            half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
            centre, scale = share + z * z / (2 * n), 1 + z * z / n
            expected = ((centre - half) / scale, (centre + half) / scale)
            assert wilson_interval(successes, n) == pytest.approx(expected, abs=1e-12), (successes, n)


def test_a_share_of_no_trials_is_undefined_and_more_successes_than_trials_are_refused():
    assert wilson_interval(0, 0) is None
    for successes in (5, -1):
        with pytest.raises(ValueError, match="k"):
            wilson_interval(successes, 4)


def test_fishers_interval_equals_scipys():
    for r, n in ((0.0, 4), (0.31, 150), (-0.92, 12)):
        # Data with exactly this correlation: r times one unit vector and the rest of another.
        a = np.arange(n) - (n - 1) / 2
        b = np.array([(-1) ** i for i in range(n)], dtype=float)
        b -= b.mean()
        b -= a * (a @ b) / (a @ a)
        y = r * a / np.linalg.norm(a) + math.sqrt(1 - r * r) * b / np.linalg.norm(b)
        expected = scipy.stats.pearsonr(a, y).confidence_interval(0.95)
        assert fisher_interval(r, n) == pytest.approx((expected.low, expected.high), abs=1e-9), (r, n)


def test_fishers_interval_needs_four_pairs_and_has_no_width_at_one():
    assert fisher_interval(0.9, 3) is None
    assert fisher_interval(1.0, 10) == (1.0, 1.0)
    with pytest.raises(ValueError, match=r"1\.1"):
        fisher_interval(1.1, 10)


@REPEATABLE
@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=60))
def test_the_standard_deviation_equals_numpys_with_one_degree_of_freedom_less(values: list[float]):
    # The absolute part: equal values of size 1e6 have the deviation 0, of which rounding leaves 1e-10.
    assert standard_deviation(values) == pytest.approx(np.std(values, ddof=1), rel=1e-9, abs=1e-9)
    assert standard_deviation([]) == standard_deviation(values[:1]) == 0.0
