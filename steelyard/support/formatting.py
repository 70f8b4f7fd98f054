"""Numbers and counts as people read them."""

from __future__ import annotations

from collections.abc import Sequence

MINUS = "−"


def format_count(number: int, noun: str, plural: str | None = None) -> str:
    """Return `1 page`, `2 pages` or `1,000 queries`; give `plural` where an s is not enough."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def format_number(value: float | None, digits: int = 2, *, sign: str = "") -> str:
    """Return a number with a real minus, or a dash for None; a number that rounds to zero has no sign."""
    if value is None:
        return "–"
    if round(value, digits) == 0:
        return f"{abs(value):.{digits}f}"
    return f"{value:{sign}.{digits}f}".replace("-", MINUS)


def format_signed(value: float | None, digits: int = 2) -> str:
    """Return a number with its sign, or a dash for None."""
    return format_number(value, digits, sign="+")


def format_interval(interval: Sequence[float | None] | None, digits: int = 2, *, scale: float = 1) -> str:
    """Return an interval as `a to b`, or a dash."""
    if not interval or interval[0] is None or interval[1] is None:
        return "–"
    return f"{format_number(interval[0] * scale, digits)} to {format_number(interval[1] * scale, digits)}"
