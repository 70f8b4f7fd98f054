"""Wilson's interval by hand, Fisher's against scipy."""

import math

import numpy as np
import pytest
import scipy.stats

from steelyard.lab.stats.intervals import fisher_interval, wilson_interval


def test_wilsons_interval_of_three_in_eight_by_its_formula():
    z, n, share = scipy.stats.norm.ppf(0.975), 8, 3 / 8
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    centre, scale = share + z * z / (2 * n), 1 + z * z / n
    assert wilson_interval(3, 8) == pytest.approx(((centre - half) / scale, (centre + half) / scale), abs=1e-12)


@pytest.mark.parametrize("n", [1, 3, 40])
def test_wilsons_interval_stays_in_the_unit_interval_and_around_the_share(n: int):
    for successes in range(n + 1):
        bounds, mirrored = wilson_interval(successes, n), wilson_interval(n - successes, n)
        assert bounds is not None
        assert mirrored is not None
        assert 0 <= bounds[0] <= successes / n <= bounds[1] <= 1
        assert bounds == pytest.approx((1 - mirrored[1], 1 - mirrored[0]))


def test_a_share_of_no_trials_is_undefined_and_more_successes_than_trials_are_refused():
    assert wilson_interval(0, 0) is None
    with pytest.raises(ValueError, match="k"):
        wilson_interval(5, 4)
    with pytest.raises(ValueError, match="k"):
        wilson_interval(-1, 4)


@pytest.mark.parametrize(("r", "n"), [(0.0, 4), (0.31, 150), (-0.92, 12)])
def test_fishers_interval_equals_scipys(r: float, n: int):
    # Data with exactly this correlation: r times one unit vector and the rest of another.
    a = np.arange(n) - (n - 1) / 2
    b = np.array([(-1) ** i for i in range(n)], dtype=float)
    b -= b.mean()
    b -= a * (a @ b) / (a @ a)
    y = r * a / np.linalg.norm(a) + math.sqrt(1 - r * r) * b / np.linalg.norm(b)
    expected = scipy.stats.pearsonr(a, y).confidence_interval(0.95)
    assert fisher_interval(r, n) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_fishers_interval_needs_four_pairs_and_has_no_width_at_one():
    assert fisher_interval(0.9, 3) is None
    assert fisher_interval(1.0, 10) == (1.0, 1.0)
    with pytest.raises(ValueError, match=r"1\.1"):
        fisher_interval(1.1, 10)
