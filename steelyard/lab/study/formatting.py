"""How studies print their figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.support.formatting import MINUS
from steelyard.support.formatting import format_number as plain
from steelyard.support.formatting import format_signed as signed
from steelyard.support.table import Column

__all__ = ["MINUS", "between", "chance", "name", "of_five", "plain", "right", "signed"]


def between(interval: Sequence[float | None] | None, digits: int = 2) -> str:
    """An interval as `a to b`."""
    if not interval or interval[0] is None or interval[1] is None:
        return "–"
    return f"{plain(interval[0], digits)} to {plain(interval[1], digits)}"


def chance(p: float | None) -> str:
    """A p-value; one that would be printed as nothing is printed as less than the last digit."""
    return "< 0.001" if p is not None and p < 0.001 else plain(p, 3)


def name(key: str) -> str:
    """An edit's or component's name in words."""
    return key.replace("_", " ")


def right(title: str) -> Column:
    return Column(title, right=True)


def of_five(gates: dict[str, Any]) -> str:
    return f"{gates['passed']}/5"
