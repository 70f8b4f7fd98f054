"""Addresses of values in a study's results: `section#/json/pointer|step`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

ResultOf = Callable[[str], Any]  # a section's result, or None where there is none
STEPS: Mapping[str, Callable[[Sequence[Any]], Any]] = {
    "len": len,
    "min": min,
    "max": max,
    "mean": fmean,
    "span": lambda values: [min(values), max(values)],
}


def split_form(address: str) -> tuple[str, str]:
    """Return an address without the format specification at its end, and that; `section#/pointer|max|+.1f`."""
    rest, stroke, last = address.rpartition("|")
    return (rest, last) if stroke and last not in STEPS else (address, "")


def look_up(result_of: ResultOf, address: str) -> Any:
    """Return the value at an address; None where the study has none.

    In a list `edit=quotation&dose=8` is the item with these values, and `*` stands for all of them; after a stroke a
    step makes one value of a list.
    """
    path, *steps = address.split("|")
    section, _, pointer = path.partition("#/")
    value = _follow(result_of(section), pointer.split("/"))
    for step in steps:
        value = STEPS[step](value) if value else None
    return value


def _follow(value: Any, parts: Sequence[str]) -> Any:
    for i, part in enumerate(parts):
        if part == "*":
            items = value.values() if isinstance(value, dict) else value or ()
            return [found for item in items if (found := _follow(item, parts[i + 1 :])) is not None]
        value = _pick(value, part)
    return value


def _pick(value: Any, part: str) -> Any:
    if isinstance(value, dict):
        return value.get(part)
    if not isinstance(value, list):
        return None
    if part.isdecimal():
        return value[int(part)] if int(part) < len(value) else None
    wanted = [pair.partition("=") for pair in part.split("&")]
    return next((item for item in value if all(str(item.get(key)) == word for key, _, word in wanted)), None)
