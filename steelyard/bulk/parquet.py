"""Parquet files: check them, read them in batches, add columns, and write the result with fixed settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from steelyard.bulk import json_from_parquet
from steelyard.bulk.columns import Columns
from steelyard.bulk.corpus_files import JSONL, PARQUET, CorpusFile
from steelyard.bulk.json_rows import select_values
from steelyard.bulk.plan import EVIDENCE, PREFIX, Plan
from steelyard.errors import CorpusRefused

_BUFFER = 1 << 20  # bytes read ahead per column, in place of whole row groups
GROUP_ROWS = 10_000
GROUP_BYTES = 64_000_000
_SPAN = pa.struct(
    [
        *((name, pa.string()) for name in ("component",)),
        *((name, pa.int64()) for name in ("start", "end", "line")),
        *((name, pa.string()) for name in ("pattern", "family")),
    ]
)


@contextmanager
def _explain_damage(path: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        reason = " ".join(str(error).split())[:200]
        raise CorpusRefused(path, f"not a whole Parquet file ({reason}); fetch or write it again") from error


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
        with _explain_damage(file.path), _open(file.path) as opened:
            schema = _plain_types(opened.schema_arrow)
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
    taken = next((name for name in plan.added if name in names), None)
    if taken is not None:
        raise CorpusRefused(path, f"has a column {taken!r} already; drop or rename it, or filter the original file")
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


def _plain_types(schema: pa.Schema) -> pa.Schema:
    """Return the schema without dictionaries and views.

    How batches share a dictionary would show in the output's bytes, and Arrow cannot select rows of views.
    """
    return pa.schema([f.with_type(_plain_type(f.type)) for f in schema], metadata=schema.metadata)


def _plain_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(kind):
        return _plain_type(kind.value_type)
    if pa.types.is_string_view(kind):
        return pa.large_string()
    return pa.large_binary() if pa.types.is_binary_view(kind) else kind


def _check_type(path: str, field: pa.Field) -> None:
    """Raise CorpusRefused for a column whose rows cannot be selected, or would not always give the same bytes."""
    try:
        pa.nulls(1, field.type).take(pa.array([0]))
        usable = "dictionary<" not in str(field.type)
    except pa.ArrowNotImplementedError:
        usable = False
    if not usable:
        raise CorpusRefused(path, f"the column {field.name!r} is {field.type}, which is not supported; drop it")


def _open(path: str) -> pq.ParquetFile:
    return pq.ParquetFile(path, pre_buffer=False, buffer_size=_BUFFER)


def read_batches(
    file: CorpusFile, batch_size: int, batch_bytes: int, start: int
) -> Iterator[tuple[pa.RecordBatch, int]]:
    """Yield the rows from a row on in batches, and the number of rows of the file.

    Raises:
        CorpusRefused: The file is damaged.
    """
    with _explain_damage(file.path), _open(file.path) as opened:
        schema = _plain_types(opened.schema_arrow)
        for index in range(opened.num_row_groups):
            group = opened.metadata.row_group(index)
            if start >= group.num_rows:
                start -= group.num_rows
                continue
            fitting = batch_bytes * group.num_rows // max(1, group.total_byte_size)
            rows = max(1, min(batch_size, fitting))
            for batch in opened.iter_batches(rows, row_groups=[index], use_threads=False):
                wanted = batch.slice(min(start, batch.num_rows))
                start -= batch.num_rows - wanted.num_rows
                if wanted.num_rows:
                    yield wanted.cast(schema), opened.metadata.num_rows


def split(batch: pa.RecordBatch, first: int, size: int) -> Iterator[pa.RecordBatch]:
    """Yield the first rows of a batch, then the others in pieces of at most the size."""
    offset, wanted = 0, first
    while offset < batch.num_rows:
        piece = batch.slice(offset, wanted)
        yield piece
        offset, wanted = offset + piece.num_rows, size


def pack(batch: pa.RecordBatch) -> bytes:
    """Return a batch as an Arrow stream."""
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, batch.schema, options=options) as stream:
        stream.write_batch(batch)
    return bytes(sink.getvalue())


def unpack(data: bytes) -> pa.RecordBatch:
    """Return the batch that was packed."""
    with pa.ipc.open_stream(data) as stream:
        batch: pa.RecordBatch = stream.read_next_batch()
    return batch


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


def list_added_fields(plan: Plan) -> list[pa.Field]:
    """Return the fields of the columns that are added."""
    kinds = {PREFIX + "flagged": pa.bool_(), PREFIX + EVIDENCE: pa.list_(_SPAN)}
    return [pa.field(name, kinds.get(name, pa.float64())) for name in plan.added]


def add_columns(batch: pa.RecordBatch, kept: Sequence[int], columns: Columns, plan: Plan) -> pa.RecordBatch:
    """Return the kept rows of a batch with the new columns."""
    chosen = select(batch, kept)
    values = [select_values(columns, index, plan) for index in kept]
    fields = list_added_fields(plan)
    arrays = [pa.array([row[f.name] for row in values], f.type) for f in fields]
    schema = pa.schema([*batch.schema, *fields], metadata=batch.schema.metadata)
    return pa.RecordBatch.from_arrays([*chosen.columns, *arrays], schema=schema)


def make_schema(plan: Plan) -> pa.Schema:
    """Return the schema of the output: the columns of the first file, then the new ones."""
    with _explain_damage(plan.files[0].path), _open(plan.files[0].path) as opened:
        schema = _plain_types(opened.schema_arrow)
    return pa.schema([*schema, *list_added_fields(plan)], metadata=schema.metadata)


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
        for index, row_size in enumerate(_measure_rows(batch)):
            rows, size = rows + 1, size + row_size
            if rows == GROUP_ROWS or size >= GROUP_BYTES:
                yield [*group, batch.slice(start, index + 1 - start)]
                group, rows, size, start = [], 0, 0, index + 1
        if start < batch.num_rows:
            group.append(batch.slice(start))
    if group:
        yield group


def _measure_rows(batch: pa.RecordBatch) -> list[int]:
    """Return the bytes of each row's texts; other values are short, or count as if they were."""
    total: Any = pa.array([0] * batch.num_rows, pa.int64())
    for column in batch.columns:
        kind = column.type
        if _is_text(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
            total = pc.add(total, pc.fill_null(pc.binary_length(column).cast(pa.int64()), 0))
    sizes: list[int] = total.to_pylist()
    return sizes
