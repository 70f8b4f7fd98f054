"""Rows of JSON from Parquet columns: what JSON can hold as it is, dates, times and decimals as text."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyarrow import types

from steelyard.corpora.columns import Columns
from steelyard.corpora.json_rows import select_row
from steelyard.corpora.plan import Plan
from steelyard.errors import CorpusRefused
from steelyard.support.escape import json_text


def check_schema(path: str, schema: pa.Schema) -> None:
    """Raise CorpusRefused for a column that JSON cannot hold."""
    for field in schema:
        if not (_is_plain(field.type) or _is_shown_as_text(field.type)):
            reason = f"the column {field.name!r} is {field.type}, which JSON cannot hold; write Parquet, or drop it"
            raise CorpusRefused(path, reason)


def _is_plain(kind: pa.DataType) -> bool:
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _is_plain(kind.value_type)
    if types.is_struct(kind):
        return all(_is_plain(field.type) for field in kind)
    tests = (types.is_null, types.is_boolean, types.is_integer, types.is_floating, types.is_string)
    return any(test(kind) for test in (*tests, types.is_large_string))


def _is_shown_as_text(kind: pa.DataType) -> bool:
    return bool(types.is_timestamp(kind) or types.is_date(kind) or types.is_time(kind) or types.is_decimal(kind))


def show_as_text(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return the batch with dates, times and decimals as text."""
    shown = [column.cast(pa.string()) if _is_shown_as_text(column.type) else column for column in batch.columns]
    return pa.RecordBatch.from_arrays(shown, names=batch.schema.names)


def find_undecodable(batch: pa.RecordBatch) -> set[int]:
    """Return the rows with a text that is not UTF-8; Parquet passes on any bytes."""
    try:
        batch.to_pylist()
    except UnicodeDecodeError:
        return {index for index in range(batch.num_rows) if not _is_decodable(batch.slice(index, 1))}
    return set()


def _is_decodable(row: pa.RecordBatch) -> bool:
    try:
        row.to_pylist()
    except UnicodeDecodeError:
        return False
    return True


def list_lines(batch: pa.RecordBatch, kept: list[int], columns: Columns, plan: Plan) -> Iterator[bytes]:
    """Yield the kept rows as lines of JSON with the new fields."""
    rows = batch.take(pa.array(kept, pa.int64())).to_pylist()
    added = plan.added.select(columns)
    for index, row in zip(kept, rows, strict=True):
        entry = {**{name: _clean(value) for name, value in row.items()}, **select_row(added, index)}
        line = json_text(json.dumps(entry, ensure_ascii=False, separators=(",", ":")))
        yield line.encode("utf-8") + b"\n"


def _clean(value: Any) -> Any:
    """Return the value with None for NaN and infinities, which JSON does not have."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {key: _clean(item) for key, item in value.items()}
    return value
