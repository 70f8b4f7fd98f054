"""Rows of JSONL files: their raw bytes stay as they are, and new fields are added at their end; the kinds of values."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from steelyard.corpora.plan import Plan
from steelyard.support.lines import explain_bad_json, explain_not_object

# Every value but the first of a list or object follows a comma. In memory a short one takes thirty times its bytes.
MAX_COMMAS = 3_000_000


class JsonRow(NamedTuple):
    """A line that is a JSON object, and the values that scoring needs."""

    raw: bytes
    pairs: list[tuple[str, Any]]
    text: object
    url: str | None


class _Pairs(list[tuple[str, Any]]):
    """The keys and values of an object in their order, repeated keys included."""


def _ignore_number(digits: str) -> int:
    """Stand for a number that nobody reads: an integer of a million digits would take minutes to convert."""
    return 0


# `parse_constant` is left alone: NaN and Infinity are not JSON, but many programs write them.
_ROW_DECODER = json.JSONDecoder(object_pairs_hook=_Pairs, parse_int=_ignore_number, parse_float=_ignore_number)


def parse_row(data: bytes, plan: Plan) -> JsonRow | str:
    """Return the row of a line, or the reason why it is none."""
    raw = data.strip(b" \t\r\n")
    value = _parse_object(raw)
    if isinstance(value, str):
        return value
    fields = dict(value)
    if len(fields) < len(value):
        return f"repeated key: {_find_repeated(value)!r} is there twice, and programs differ in which one they read"
    existing = next((name for name in plan.added.names if name in fields), None)
    if existing is not None:
        return f"key already there: {existing!r} would be there twice; rename it, or filter the original rows"
    url = fields.get(plan.url) if plan.url is not None else None
    text = fields.get(plan.text)
    if isinstance(text, _Pairs):
        text = dict(text)
    return JsonRow(raw, value, text, url if isinstance(url, str) else None)


def _parse_object(raw: bytes) -> _Pairs | str:
    if raw.count(b",") > MAX_COMMAS:
        return f"too many values: over {MAX_COMMAS:,} commas in one row"
    try:
        value = _ROW_DECODER.decode(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        return f"not UTF-8: at byte {error.start}"
    except (ValueError, RecursionError) as error:
        return f"not JSON: {explain_bad_json(error)}"
    return value if isinstance(value, _Pairs) else f"not an object: {explain_not_object(value)}"


def _find_repeated(pairs: Collection[tuple[str, Any]]) -> str:
    seen: set[str] = set()
    return next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]


def add_fields(row: JsonRow, added: Mapping[str, Sequence[Any]], index: int) -> bytes:
    """Return the row as a line with its new fields, which stand before the closing brace."""
    fields = json.dumps(select_row(added, index), separators=(",", ":"))[1:-1].encode("ascii")
    return row.raw[:-1].rstrip() + (b"," if row.pairs else b"") + fields + b"}\n"


def select_row(added: Mapping[str, Sequence[Any]], index: int) -> dict[str, Any]:
    """Return the added values of one row by name."""
    return {name: values[index] for name, values in added.items()}


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


_VALUE_DECODER = json.JSONDecoder(parse_int=_parse_integer)


def list_values(line: str) -> Iterator[tuple[str, Value]]:
    """Yield the keys and values of an object that is known to be valid JSON."""
    place = _skip(line, 1)  # the brace
    while line[place] != "}":
        key, place = _VALUE_DECODER.raw_decode(line, place)
        place = _skip(line, _skip(line, place) + 1)  # the colon
        value, end = _VALUE_DECODER.raw_decode(line, place)
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
