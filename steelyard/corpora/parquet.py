"""Parquet files: check their columns, add new ones, and write the result with fixed settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from steelyard.corpora import json_from_parquet, parquet_process
from steelyard.corpora.arrow import list_added_fields
from steelyard.corpora.columns import Columns
from steelyard.corpora.corpus_files import JSONL, PARQUET
from steelyard.corpora.plan import Plan
from steelyard.corpora.record_batches import measure_rows
from steelyard.errors import CorpusRefused

GROUP_ROWS = 10_000
GROUP_BYTES = 64_000_000


def check_files(plan: Plan) -> pa.Schema | None:
    """Return the schema that all Parquet files of the plan share, or None if there is no Parquet file.

    Raises:
        CorpusRefused: A file is damaged, has another schema than the first, lacks the text column, or has a column
            that the run would add.
    """
    first: tuple[str, pa.Schema] | None = None
    for file in plan.files:
        if file.format.kind != PARQUET:
            continue
        schema = _read_schema(file.path)
        if first is None:
            _check_columns(file.path, schema, plan)
            if plan.format.kind == JSONL:
                json_from_parquet.check_schema(file.path, schema)
            first = file.path, schema
        elif not schema.equals(first[1]):
            difference = _describe_difference(first[1], schema)
            raise CorpusRefused(file.path, f"other columns than {first[0]} ({difference}); filter it separately")
    return first[1] if first else None


def _check_columns(path: str, schema: pa.Schema, plan: Plan) -> None:
    names = schema.names
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise CorpusRefused(path, f"two columns are called {repeated!r}; rename one of them")
    existing = next((name for name in plan.added.names if name in names), None)
    if existing is not None:
        raise CorpusRefused(path, f"has a column {existing!r} already; drop or rename it, or filter the original file")
    for field in schema:
        _check_type(path, field)
    for name, option in ((plan.text, "--text"), (plan.url, "--url")):
        if name is None:
            continue
        if name not in names:
            raise CorpusRefused(path, f"has no column {name!r} (columns: {', '.join(names)}); name it with {option}")
        kind = schema.field(name).type
        if not (_is_text(kind) or pa.types.is_null(kind)):
            raise CorpusRefused(path, f"the column {name!r} is {kind}, not text; name another with {option}")


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _describe_difference(first: pa.Schema, other: pa.Schema) -> str:
    ours, theirs = ({field.name: str(field) for field in schema} for schema in (first, other))
    differing = [name for name in [*ours, *theirs] if ours.get(name) != theirs.get(name)]
    if not differing:
        return "the same columns in another order"
    name = differing[0]
    return f"{name!r} is {theirs.get(name, 'missing')} here and {ours.get(name, 'missing')} there"


def _check_type(path: str, field: pa.Field) -> None:
    """Raise CorpusRefused for a column whose rows cannot be selected, or would not always give the same bytes."""
    try:
        pa.nulls(1, field.type).take(pa.array([0]))
        usable = "dictionary<" not in str(field.type)
    except pa.ArrowNotImplementedError:
        usable = False
    if not usable:
        raise CorpusRefused(path, f"the column {field.name!r} is {field.type}, which is not supported; drop it")


def _read_schema(path: str) -> pa.Schema:
    return pa.ipc.read_schema(pa.py_buffer(parquet_process.ask_schema(path)))


def list_texts(batch: pa.RecordBatch, name: str) -> list[str | bytes | None]:
    """Return the values of a text column; a value that is not UTF-8 comes as bytes."""
    column = batch.column(name)
    try:
        values: list[str | bytes | None] = column.to_pylist()
    except UnicodeDecodeError:
        raw = column.cast(pa.large_binary()).to_pylist()
        values = [_decode(value) for value in raw]
    return values


def _decode(value: bytes | None) -> str | bytes | None:
    try:
        return None if value is None else value.decode("utf-8")
    except UnicodeDecodeError:
        return value


def select(batch: pa.RecordBatch, rows: Sequence[int]) -> pa.RecordBatch:
    """Return these rows of a batch."""
    return batch.take(pa.array(rows, pa.int64()))


def add_columns(batch: pa.RecordBatch, kept: Sequence[int], columns: Columns, plan: Plan) -> pa.RecordBatch:
    """Return the kept rows of a batch with the new columns."""
    chosen = select(batch, kept)
    added, fields = plan.added.select(columns), list_added_fields(plan.added)
    arrays = [pa.array([added[f.name][index] for index in kept], f.type) for f in fields]
    schema = pa.schema([*batch.schema, *fields], metadata=batch.schema.metadata)
    return pa.RecordBatch.from_arrays([*chosen.columns, *arrays], schema=schema)


def make_schema(plan: Plan) -> pa.Schema:
    """Return the schema of the output: the columns of the first file, then the new ones."""
    schema = _read_schema(plan.files[0].path)
    return pa.schema([*schema, *list_added_fields(plan.added)], metadata=schema.metadata)


def write_file(path: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
    """Write a file whose bytes depend on the rows alone, not on how they were batched."""
    with pq.ParquetWriter(path, schema, compression="zstd", version="2.6") as writer:
        for group in _regroup(batches):
            writer.write_table(pa.Table.from_batches(group, schema).combine_chunks(), row_group_size=GROUP_ROWS)


def _regroup(batches: Iterable[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    """Yield the rows in row groups, each full by number of rows or by bytes."""
    group: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        start = 0
        for index, row_size in enumerate(measure_rows(batch)):
            rows, size = rows + 1, size + row_size
            if rows == GROUP_ROWS or size >= GROUP_BYTES:
                yield [*group, batch.slice(start, index + 1 - start)]
                group, rows, size, start = [], 0, 0, index + 1
        if start < batch.num_rows:
            group.append(batch.slice(start))
    if group:
        yield group
