"""The 97.5% point of Student's t, for 95% intervals where scipy is not installed."""

from __future__ import annotations

# For 1 to 30 degrees of freedom, to four decimals (any statistical table).
_TABLE = (
    12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281, 2.2010, 2.1788, 2.1604, 2.1448,
    2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484,
    2.0452, 2.0423,
)  # fmt: skip


def t_quantile_975(freedom: int) -> float:
    """Return the 97.5% point for so many degrees of freedom, correct to 0.0002.

    Raises:
        ValueError: Fewer than one degree of freedom.
    """
    if freedom < 1:
        raise ValueError(f"{freedom} degrees of freedom; at least 1 is needed")
    if freedom <= len(_TABLE):
        return _TABLE[freedom - 1]
    z = 1.959964  # the normal quantile; the terms below are the expansion in 1 / freedom
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
