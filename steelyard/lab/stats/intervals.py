"""Shares and signs: exact binomial tails, the sign test, Wilson's interval."""

from __future__ import annotations

import math
from statistics import NormalDist


def normal_quantile(level: float = 0.95) -> float:
    """The z with so much of the normal distribution in (-z, z): 1.96 for 0.95."""
    if not 0 < level < 1:
        raise ValueError(f"a level of {level}, which is not between 0 and 1")
    return NormalDist().inv_cdf((1 + level) / 2)


def wilson(successes: int, n: int, level: float = 0.95) -> tuple[float, float] | None:
    """Wilson's score interval of a share, inside [0, 1] and around successes/n; None of no trials."""
    _check(successes, n)
    if n == 0:
        return None
    z = normal_quantile(level)
    share = successes / n
    centre = share + z * z / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # At the ends the bound is the end itself; rounding would leave it 1e-17 away.
    low = 0.0 if successes == 0 else (centre - half) / scale
    high = 1.0 if successes == n else (centre + half) / scale
    return low, high


def binomial_tail(successes: int, n: int, chance: float = 0.5) -> float:
    """P(at least so many successes in n trials)."""
    _check(successes, n)
    if not 0 <= chance <= 1:
        raise ValueError(f"a chance of {chance}")
    if successes == 0 or chance == 1:
        return 1.0
    if chance == 0:
        return 0.0
    if chance == 0.5:
        return _fair_tail(successes, n)
    # By logarithms: the coefficient of 1100 trials no longer fits into a float.
    yes, no, whole = math.log(chance), math.log1p(-chance), math.lgamma(n + 1)
    terms = (
        math.exp(whole - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * yes + (n - k) * no)
        for k in range(successes, n + 1)
    )
    return min(1.0, math.fsum(terms))


def sign_test(ups: int, downs: int) -> float:
    """The two-sided p-value of so many ups and downs when both are equally likely; ties are left out, 1.0 of none."""
    n = ups + downs
    return min(1.0, 2 * binomial_tail(max(ups, downs), n)) if n else 1.0


def _fair_tail(successes: int, n: int) -> float:
    """Sums of coefficients in whole numbers: exact, and right for any n."""
    coefficient = total = 1  # of k = n, downwards
    for k in range(n, successes, -1):
        coefficient = coefficient * k // (n - k + 1)
        total += coefficient
    return total / (1 << n)


def _check(successes: int, n: int) -> None:
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} is no share")
