"""Rows of a Parquet file in pieces that are small once they are decoded; runs where memory is limited.

A file says little about the memory that its rows need: a value that a dictionary holds once can fill every row, and a
page of some bytes can unpack to gigabytes. So rows are read, and when memory runs out, fewer of them are read again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from steelyard.corpora.record_batches import pack, plain_types
from steelyard.errors import CorpusRefused

MAX_FIELDS = 10_000  # columns, and what they consist of
MAX_NESTING = 32  # lists and structs inside each other
MAX_SCHEMA_BYTES = 4_000_000  # with what a file says about its columns, which goes along with every batch
BYTES_PER_VALUE = 8  # that any value takes in Python, also a null or a bit
_READ_AHEAD = 32_000_000  # bytes of all columns together, in place of whole row groups
_MIN_BUFFER, _MAX_BUFFER = 1 << 12, 1 << 20  # of one column
_FEWER = 16  # by which the rows that are read at a time are divided when memory runs out


class Piece(NamedTuple):
    """Rows of a file as an Arrow stream, or without columns one row that is too long; and how many the file has."""

    rows: int
    columns: bytes
    total: int


class Request(NamedTuple):
    """Which rows of a file are wanted, and how they are cut."""

    path: str
    start: int  # rows that are skipped
    batch_size: int  # the most rows of a piece
    batch_bytes: int  # decoded; a piece with more has one row
    max_bytes: int  # of a row
    first: int  # rows up to the first border that no piece crosses
    distance: int  # rows between two borders


def read_schema(path: str) -> bytes:
    """Return the schema of a file without dictionaries and views, serialised.

    Raises:
        CorpusRefused: The file is damaged, or its columns are too many, too deeply nested or badly named.
    """
    with _explain_damage(path):
        return bytes(_check_schema(path, _open(path).schema_arrow).serialize())


def read_pieces(request: Request) -> Iterator[Piece]:
    """Yield the rows of a file from a row on.

    Raises:
        CorpusRefused: The file is damaged, or one of its rows needs too much memory.
    """
    path, start, border = request.path, request.start, request.first
    with _explain_damage(path):
        opened = _open(path)
        schema = _check_schema(path, opened.schema_arrow)
        for index in range(opened.num_row_groups):
            rows = opened.metadata.row_group(index).num_rows
            if start >= rows:
                start -= rows
                continue
            for batch in _read_group(opened, index, request, start, schema):
                offset = 0
                while offset < batch.num_rows:
                    piece = batch.slice(offset, border)
                    offset += piece.num_rows
                    border = (border - piece.num_rows) or request.distance
                    for part in _cut(piece, min(request.batch_bytes, request.max_bytes)):
                        fits = part.num_rows > 1 or _measure(part) <= request.max_bytes
                        yield Piece(part.num_rows, pack(part) if fits else b"", opened.metadata.num_rows)
            start = 0


@contextmanager
def _explain_damage(path: str) -> Iterator[None]:
    try:
        yield
    except CorpusRefused:
        raise
    except UnicodeDecodeError as error:  # values are not decoded here, so it is a name
        name = ascii(error.object)[2:-1]
        raise CorpusRefused(path, f"the name of the column '{name}' is not UTF-8; rename the column") from error
    except MemoryError as error:
        raise CorpusRefused(path, f"needs too much memory to be read ({_shorten(error)}); {_REPAIR}") from error
    except Exception as error:  # whatever the reader raises, it is about this file
        raise CorpusRefused(path, f"not a whole Parquet file ({_shorten(error)}); fetch or write it again") from error


_REPAIR = "write it again with smaller values, pages and row groups, or drop the column"


def _shorten(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def _open(path: str) -> pq.ParquetFile:
    metadata = pq.read_metadata(path)
    buffer_size = max(_MIN_BUFFER, min(_MAX_BUFFER, _READ_AHEAD // max(1, metadata.num_columns)))
    return pq.ParquetFile(path, metadata=metadata, pre_buffer=False, buffer_size=buffer_size)


def _check_schema(path: str, schema: pa.Schema) -> pa.Schema:
    fields = 0
    level: list[pa.Field] = list(schema)
    for _ in range(MAX_NESTING):
        fields += len(level)
        if fields > MAX_FIELDS:
            raise CorpusRefused(path, f"has more than {MAX_FIELDS:,} columns and fields; select those you need")
        for field in level:
            str(field.type), field.name  # whether they can be decoded
        level = [field.type.field(at) for field in level for at in range(field.type.num_fields)]
    if level:
        raise CorpusRefused(path, f"a column is nested deeper than {MAX_NESTING} levels; drop or flatten it")
    plain = plain_types(schema)
    if plain.serialize().size > MAX_SCHEMA_BYTES:
        reason = f"the description of its columns takes more than {MAX_SCHEMA_BYTES:,} bytes; write it without metadata"
        raise CorpusRefused(path, reason)
    return plain


def _read_group(
    opened: pq.ParquetFile, index: int, request: Request, start: int, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a row group from a row on in plain types; fewer at a time when memory runs out."""
    group = opened.metadata.row_group(index)
    fitting = request.batch_bytes * group.num_rows // max(1, group.total_byte_size)
    rows = max(1, min(request.batch_size, fitting))
    while True:
        passed = 0
        try:
            for batch in opened.iter_batches(rows, row_groups=[index], use_threads=False):
                unread = batch.slice(min(max(0, start - passed), batch.num_rows)).cast(schema)
                passed += batch.num_rows
                if unread.num_rows:
                    start = passed
                    yield unread
        except MemoryError as error:
            if rows == 1:
                column = _find_culprit(opened, index, passed)
                where = f"row {passed + 1:,} of row group {index}" + (f", column {column!r}" if column else "")
                reason = f"{where}: needs too much memory to be read ({_shorten(error)}); {_REPAIR}"
                raise CorpusRefused(request.path, reason) from error
            rows = max(1, rows // _FEWER)
        else:
            return


def _find_culprit(opened: pq.ParquetFile, index: int, passed: int) -> str | None:
    """Return the first column that alone needs too much memory up to the row after those that were read."""
    for name in opened.schema_arrow.names:
        try:
            batches = opened.iter_batches(1, row_groups=[index], columns=[name], use_threads=False)
            for at, _ in enumerate(batches):
                if at >= passed:
                    break
        except MemoryError:
            return str(name)
    return None


def _cut(batch: pa.RecordBatch, limit: int) -> Iterator[pa.RecordBatch]:
    """Yield the rows in pieces within a limit, halved until they are, in their order."""
    waiting = [batch]
    while waiting:
        piece = waiting.pop()
        if piece.num_rows > 1 and _measure(piece) > limit:
            half = piece.num_rows // 2
            waiting += [piece.slice(half), piece.slice(0, half)]
        elif piece.num_rows:
            yield piece


def _measure(batch: pa.RecordBatch) -> int:
    """Return the bytes that rows take at most, in Arrow and in Python."""
    return int(batch.nbytes) + BYTES_PER_VALUE * sum(map(_count_values, batch.columns))


def _count_values(array: pa.Array) -> int:
    """Return how many values there are, those inside of lists and structs included."""
    kind = array.type
    if pa.types.is_struct(kind):
        return len(array) + sum(map(_count_values, array.flatten()))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_map(kind):
        first, last = array.offsets[0].as_py(), array.offsets[-1].as_py()
        return len(array) + _count_values(array.values.slice(first, last - first))
    if pa.types.is_fixed_size_list(kind):
        return len(array) + _count_values(array.flatten())
    return len(array)
