"""Parquet from rows of JSON: one column per key, with a type that holds every value of the corpus exactly.

Booleans, numbers and strings get columns of their type. A key whose values differ in type, and lists, objects and
integers of more than 64 bits become a column of JSON text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from steelyard.corpora import parquet
from steelyard.corpora.arrow import list_added_fields
from steelyard.corpora.json_rows import Value, list_values, unite_kinds
from steelyard.corpora.plan import Plan
from steelyard.errors import CorpusRefused

MAX_COLUMNS = 1_000
_CHUNK_ROWS = 1_000
_ADDED = "added"  # the kind of a column whose type is known
_TYPES = {"null": pa.null(), "bool": pa.bool_(), "int": pa.int64(), "long": pa.int64(), "float": pa.float64()}


def find_problem(line: str, plan: Plan) -> str | None:
    """Return why a row cannot be stored beside the others, or None."""
    for count, (key, value) in enumerate(list_values(line), start=1):
        if count > MAX_COLUMNS:
            return f"too many keys: more than {MAX_COLUMNS:,}, and each would become a column"
        if key in (plan.text, plan.url) and value.kind not in ("string", "null"):
            return f"not a string: Parquet keeps one type per column, and {key!r} holds text"
        if not (_is_unicode(key) and (value.kind != "string" or _is_unicode(value.value))):
            return f"half a character: {key[:40]!r} has half of a surrogate pair, which Parquet cannot store"
    return None


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def collect_kinds(line: str, kinds: dict[str, str]) -> None:
    """Add the kinds of a row's values to those of the rows before it."""
    for key, value in list_values(line):
        kinds[key] = unite_kinds(kinds.get(key, "null"), value.kind)


def check_width(kinds: Mapping[str, str], plan: Plan) -> None:
    """Raise CorpusRefused if the rows have too many different keys."""
    if len(kinds) > MAX_COLUMNS:
        reason = f"the rows have more than {MAX_COLUMNS:,} different keys, too many for columns; write JSONL instead"
        raise CorpusRefused(plan.output, reason)


def write_file(path: Path, pieces: Iterable[bytes], kinds: Mapping[str, str], plan: Plan) -> None:
    """Write the rows, which are lines with the new fields, as Parquet."""
    check_width(kinds, plan)
    new = plan.added.names
    own = [pa.field(name, _TYPES.get(kind, pa.string())) for name, kind in kinds.items() if name not in new]
    schema = pa.schema([*own, *list_added_fields(plan.added)])
    parquet.write_file(path, schema, _make_batches(pieces, schema, {**kinds, **dict.fromkeys(new, _ADDED)}))


def _make_batches(pieces: Iterable[bytes], schema: pa.Schema, kinds: Mapping[str, str]) -> Iterator[pa.RecordBatch]:
    for piece in pieces:
        lines = piece.decode("utf-8").split("\n")[:-1]
        for start in range(0, len(lines), _CHUNK_ROWS):
            rows = [dict(list_values(line)) for line in lines[start : start + _CHUNK_ROWS]]
            arrays = [pa.array([_select(row.get(f.name), kinds[f.name]) for row in rows], f.type) for f in schema]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _select(value: Value | None, kind: str) -> Any:
    """Return a value as its column holds it."""
    if value is None or value.kind == "null":
        return None
    if kind == "json":
        return value.raw
    return float(value.value) if kind == "float" else value.value
