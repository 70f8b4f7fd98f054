"""The kinds of JSON values, from which the types of columns follow."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

_EXACT = 2**53  # up to here a float holds every integer
_MAX_DIGITS = 20  # characters of an integer of 64 bits
_SPACE = " \t\r\n"


class Value(NamedTuple):
    """A value of a row: its kind, itself, and its JSON as it was written."""

    kind: str
    value: Any
    raw: str


def _parse_integer(digits: str) -> Any:
    """Return an integer, or an object that stands for one of too many digits."""
    return int(digits) if len(digits) <= _MAX_DIGITS else {}


_DECODER = json.JSONDecoder(parse_int=_parse_integer)


def list_values(line: str) -> Iterator[tuple[str, Value]]:
    """Yield the keys and values of an object that is known to be valid JSON."""
    place = _skip(line, 1)  # the brace
    while line[place] != "}":
        key, place = _DECODER.raw_decode(line, place)
        place = _skip(line, _skip(line, place) + 1)  # the colon
        value, end = _DECODER.raw_decode(line, place)
        yield key, Value(_find_kind(value), value, line[place:end])
        place = _skip(line, end)
        if line[place] == ",":
            place = _skip(line, place + 1)


def _skip(line: str, place: int) -> int:
    while line[place] in _SPACE:
        place += 1
    return place


def _find_kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int" if abs(value) <= _EXACT else "long" if -(2**63) <= value < 2**63 else "json"
    if isinstance(value, float):
        return "float"
    return "string" if isinstance(value, str) else "json"


def unite_kinds(first: str, second: str) -> str:
    """Return the kind of a column that holds values of both kinds."""
    kinds = {first, second} - {"null"}
    if len(kinds) < 2:
        return kinds.pop() if kinds else "null"
    if kinds == {"int", "long"}:
        return "long"
    return "float" if kinds == {"int", "float"} else "json"
