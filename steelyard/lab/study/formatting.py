"""How studies print their figures."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.support.formatting import MINUS
from steelyard.support.formatting import format_number as plain
from steelyard.support.formatting import format_signed as signed

__all__ = ["MINUS", "format_interval", "format_p", "format_percent", "in_words", "plain", "signed", "state_p"]


def format_interval(interval: Sequence[float | None] | None, digits: int = 2, *, scale: float = 1) -> str:
    """Return an interval as `a to b`, or a dash."""
    if not interval or interval[0] is None or interval[1] is None:
        return "–"
    return f"{plain(interval[0] * scale, digits)} to {plain(interval[1] * scale, digits)}"


def format_p(p: float | None) -> str:
    """Return a p-value; one that would be printed as zero is printed as less than the last digit."""
    return "< 0.001" if p is not None and p < 0.001 else plain(p, 3)


def state_p(p: float) -> str:
    """Return `p = 0.020` or `p < 0.001`."""
    return f"p {format_p(p)}" if p < 0.001 else f"p = {format_p(p)}"


def format_percent(share: float | None) -> str:
    """Return a share in per cent with one decimal, without the sign."""
    return plain(None if share is None else 100 * share, 1)


def in_words(key: str) -> str:
    """Return the name of an edit or a component without underscores."""
    return key.replace("_", " ")
