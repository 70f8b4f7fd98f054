"""Join the parts of a run into its output, one piece at a time, and put it in place in one step."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from steelyard.corpora.corpus_files import GZIP, JSONL, PARQUET, ZSTD, Format, format_of, unfinished_rejects
from steelyard.corpora.parts import JOINED, WorkFolder, explain_write_errors, open_part, read_pieces
from steelyard.corpora.plan import Plan
from steelyard.corpora.tally import Tally

_PIECE = 1 << 20
_GZIP_LEVEL = 6
_ZSTD_LEVEL = 3


def join_parts(plan: Plan, folder: WorkFolder, parts: int, tally: Tally) -> None:
    """Write the output and the list of rejects from the finished parts; a second call writes the same bytes."""
    numbers = range(parts)
    if plan.rejects is not None:
        new = unfinished_rejects(plan.rejects)
        pieces = (piece for n in numbers for piece in _read_file(folder.part_file(n, "rejects")))
        with explain_write_errors(plan.rejects):
            _write_packed(new, format_of(plan.rejects) or Format(JSONL), pieces)
            os.replace(new, os.path.realpath(plan.rejects))
    joined = folder.path / JOINED
    kept = (piece for n in numbers for piece in read_pieces(folder.part_file(n, "kept")))
    with explain_write_errors(plan.output):
        if plan.format.kind == PARQUET:
            _write_parquet(joined, plan, kept, tally)
        else:
            _write_packed(joined, plan.format, kept)
        os.replace(joined, os.path.realpath(plan.output))


def _read_file(path: Path) -> Iterator[bytes]:
    with open_part(path) as file:
        while piece := file.read(_PIECE):
            yield piece


def _write_parquet(path: Path, plan: Plan, pieces: Iterable[bytes], tally: Tally) -> None:
    from steelyard.corpora import parquet, parquet_from_json
    from steelyard.corpora.record_batches import unpack

    if plan.files[0].format.kind == PARQUET:
        parquet.write_file(path, parquet.make_schema(plan), map(unpack, pieces))
    else:
        parquet_from_json.write_file(path, pieces, tally.kinds, plan)
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def _write_packed(path: Path, fmt: Format, pieces: Iterable[bytes]) -> None:
    with open(path, "wb") as raw:
        with _pack(raw, fmt.packing) as stream:
            for piece in pieces:
                stream.write(piece)
        raw.flush()
        os.fsync(raw.fileno())


@contextmanager
def _pack(raw: BinaryIO, packing: str) -> Iterator[BinaryIO]:
    """Open a stream that packs without a name or a time, so that the same rows give the same bytes."""
    if packing == GZIP:
        with gzip.GzipFile("", "wb", _GZIP_LEVEL, raw, mtime=0) as stream:
            yield cast(BinaryIO, stream)
    elif packing == ZSTD:
        import zstandard

        packer = zstandard.ZstdCompressor(_ZSTD_LEVEL, write_checksum=True)
        with packer.stream_writer(raw, closefd=False) as frame:
            yield cast(BinaryIO, frame)
    else:
        yield raw
