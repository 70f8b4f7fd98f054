"""Arrow record batches: in plain types, and as bytes that can be sent and kept."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

_VALUE_BYTES = 8  # of a value in a list or struct that is no text


def plain_types(schema: pa.Schema) -> pa.Schema:
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


def measure_rows(batch: pa.RecordBatch) -> list[int]:
    """Return the bytes of each row's texts, lists and structs; other values are short, or count as if they were."""
    total: Any = pa.repeat(pa.scalar(0, pa.int64()), batch.num_rows)
    for column in batch.columns:
        if pa.types.is_nested(column.type) or _is_sized(column.type):
            total = pc.add(total, _measure_values(column))
    sizes: list[int] = total.to_pylist()
    return sizes


def _is_sized(kind: pa.DataType) -> bool:
    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
    return any(test(kind) for test in tests) or pa.types.is_fixed_size_binary(kind)


def _measure_values(array: pa.Array) -> Any:
    """Return the bytes of each value, as an array."""
    kind = array.type
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_map(kind):
        offsets = array.offsets.cast(pa.int64())
        first, last = offsets[0].as_py(), offsets[-1].as_py()
        return _sum_between(array.values.slice(first, last - first), pc.subtract(offsets, first))
    if pa.types.is_fixed_size_list(kind):
        size = kind.list_size
        offsets = pa.array([size * at for at in range(len(array) + 1)], pa.int64())
        return _sum_between(array.values.slice(array.offset * size, len(array) * size), offsets)
    if pa.types.is_struct(kind):
        total = pa.repeat(pa.scalar(_VALUE_BYTES, pa.int64()), len(array))
        for field in array.flatten():
            total = pc.add(total, _measure_values(field))
        return total
    if pa.types.is_fixed_size_binary(kind) or not _is_sized(kind):
        width = kind.byte_width if pa.types.is_fixed_size_binary(kind) else _VALUE_BYTES
        return pa.repeat(pa.scalar(width, pa.int64()), len(array))
    return pc.fill_null(pc.binary_length(array).cast(pa.int64()), 0)


def _sum_between(values: pa.Array, offsets: pa.Array) -> Any:
    """Return the bytes of the values from each offset to the next."""
    sums = pa.concat_arrays([pa.array([0], pa.int64()), pc.cumulative_sum(_measure_values(values))])
    return pc.subtract(sums.take(offsets.slice(1)), sums.take(offsets.slice(0, len(offsets) - 1)))
