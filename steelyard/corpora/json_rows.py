"""One row of a JSONL file: its raw bytes stay as they are, and new fields are added at their end."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
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


def _keep_pairs(pairs: list[tuple[str, Any]]) -> _Pairs:
    return _Pairs(pairs)


# `parse_constant` is left alone: NaN and Infinity are not JSON, but many programs write them.
_DECODER = json.JSONDecoder(object_pairs_hook=_keep_pairs, parse_int=_ignore_number, parse_float=_ignore_number)


def parse_row(data: bytes, plan: Plan) -> JsonRow | str:
    """Return the row of a line, or the reason why it is none."""
    raw = data.strip(b" \t\r\n")
    value = _parse_object(raw)
    if isinstance(value, str):
        return value
    fields = dict(value)
    if len(fields) < len(value):
        return f"repeated key: {_find_repeated(value)!r} is there twice, and programs differ in which one they read"
    taken = next((name for name in plan.added.names if name in fields), None)
    if taken is not None:
        return f"key already there: {taken!r} would be there twice; rename it, or filter the original rows"
    url = fields.get(plan.url) if plan.url is not None else None
    text = fields.get(plan.text)
    if isinstance(text, _Pairs):
        text = dict(text)
    return JsonRow(raw, value, text, url if isinstance(url, str) else None)


def _parse_object(raw: bytes) -> _Pairs | str:
    if raw.count(b",") > MAX_COMMAS:
        return f"too many values: over {MAX_COMMAS:,} commas in one row"
    try:
        value = _DECODER.decode(raw.decode("utf-8"))
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
