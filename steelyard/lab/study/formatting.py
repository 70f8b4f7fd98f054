"""How studies print their figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.support.formatting import MINUS
from steelyard.support.formatting import format_number as plain
from steelyard.support.formatting import format_signed as signed

__all__ = [
    "MINUS",
    "format_interval",
    "format_p",
    "format_percent",
    "format_value",
    "in_words",
    "plain",
    "signed",
    "state_p",
]


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


def format_value(value: Any, form: str) -> str:
    """Return a value of a result as people read it: numbers by a format specification, or `p` for a p-value.

    Two numbers are an interval, `a to b`; other lists are separated by commas, and what there is not is a dash.
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}".replace("-", MINUS)
    if isinstance(value, float):
        text = format_p(value) if form == "p" else f"{value:{form}}".replace("-", MINUS)
        return text if any(c in "123456789" for c in text) else text.lstrip(f"+{MINUS}")
    if not isinstance(value, list) or not value or None in value:
        return "–"
    is_interval = len(value) == 2 and not isinstance(value[0], str)
    return (" to " if is_interval else ", ").join(format_value(v, form) for v in value)
