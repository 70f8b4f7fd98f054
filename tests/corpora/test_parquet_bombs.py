"""Parquet files that unpack to gigabytes, or that no writer writes: bounded memory, or a refusal that says where."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from steelyard.corpora import parquet_process, parquet_rows
from steelyard.corpora.parquet_process import ask_pieces, ask_schema
from steelyard.corpora.parquet_rows import Request
from steelyard.corpora.record_batches import measure_rows, unpack
from steelyard.errors import CorpusRefused
from tests.conftest import ROOT
from tests.corpora.shared import SHORT, make_rows, run_filter

MAX_MEGABYTES = 900  # of all processes together
LONG = 1_000_000


def repeat(text: str | bytes, rows: int) -> pa.Array:
    """Return rows that share a value, which takes memory once; written without Arrow's schema, they are plain text."""
    return pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array([text]))


BOMBS: dict[str, Callable[[int], pa.Array]] = {
    "text": lambda rows: repeat("a" * LONG, rows),
    "binary": lambda rows: repeat(b"a" * LONG, rows),
    "struct": lambda rows: pa.StructArray.from_arrays([repeat("a" * LONG, rows)], ["x"]),
    "list": lambda rows: pa.ListArray.from_arrays(pa.array(range(rows + 1), pa.int32()), repeat("a" * LONG, rows)),
}


def write_bomb(path: Path, column: pa.Array) -> Path:
    table = pa.table({"text": [SHORT] * len(column), "extra": column})
    pq.write_table(table, path, compression="zstd", store_schema=False)
    assert path.stat().st_size < 20_000
    return path


def filter_in_process(source: Path, output: Path) -> tuple[subprocess.CompletedProcess[str], float]:
    """Filter a file in a fresh process; return how it ended and the most megabytes it and the reader held."""
    code = (
        "import re, sys\nfrom pathlib import Path\nfrom steelyard.corpora import parquet_process\n"
        "from steelyard.cli.main import main\n"
        "try:\n    main()\nfinally:\n"
        "    pids = ['self', *(process._popen.pid for process in parquet_process._idle)]\n"
        "    texts = [Path(f'/proc/{pid}/status').read_text() for pid in pids]\n"
        "    print('KILOBYTES', sum(int(re.search('VmHWM:\\\\s+([0-9]+)', t)[1]) for t in texts), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "filter", str(source), "-o", str(output), "--jobs", "1", "--language", "en"],
        capture_output=True, text=True, check=False, cwd=ROOT, timeout=580,
    )  # fmt: skip
    return done, float(done.stderr.rpartition("KILOBYTES")[2]) / 1024


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems count memory otherwise")
@pytest.mark.parametrize("kind", ["text", pytest.param("struct", marks=pytest.mark.full)])
def test_a_value_that_a_dictionary_holds_once_does_not_fill_the_memory(tmp_path: Path, kind: str) -> None:
    source = write_bomb(tmp_path / "in.parquet", BOMBS[kind](1_200))
    done, megabytes = filter_in_process(source, tmp_path / "out.parquet")
    assert (done.returncode, megabytes < MAX_MEGABYTES) == (0, True), (megabytes, done.stderr)
    assert pq.read_metadata(tmp_path / "out.parquet").num_rows == pq.read_metadata(source).num_rows


@pytest.mark.parametrize("kind", BOMBS)
def test_pieces_are_bounded_by_their_decoded_bytes_in_columns_of_every_kind(tmp_path: Path, kind: str) -> None:
    source = write_bomb(tmp_path / "in.parquet", BOMBS[kind](100))
    rows = 0
    for piece in ask_pieces(Request(str(source), 0, 256, 4_000_000, 50_000_000, 1_000, 1_000)):
        batch = unpack(piece.columns)
        assert 0 < batch.nbytes <= 4_000_000
        assert sum(measure_rows(batch)) >= batch.num_rows * LONG
        rows += piece.rows
    assert rows == 100


def test_rows_are_the_same_however_they_are_cut(tmp_path: Path) -> None:
    table = pa.Table.from_pylist([{**row, "tags": ["x" * row["id"]] * 3} for row in make_rows(200)])
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=64)
    for start, size, limit, first in ((0, 256, 1 << 20, 6), (70, 7, 1_000, 3), (199, 1, 1, 1), (64, 50, 2_000, 100)):
        pieces = list(ask_pieces(Request(str(tmp_path / "in.parquet"), start, size, limit, 1 << 30, first, 10)))
        assert pa.Table.from_batches([unpack(piece.columns) for piece in pieces]).equals(table.slice(start))
        ends = {sum(piece.rows for piece in pieces[: n + 1]) for n in range(len(pieces))}
        assert ends >= set(range(first, 200 - start, 10))


def test_a_row_over_the_limit_is_rejected_and_the_others_kept(tmp_path: Path) -> None:
    texts = [SHORT, "a" * 3_000_000, SHORT]
    pq.write_table(pa.table({"text": texts, "n": [1, 2, 3]}), tmp_path / "in.parquet")
    for target in ("out.parquet", "out.jsonl"):
        outcome = run_filter([tmp_path / "in.parquet"], tmp_path / target, max_bytes=2_000_000)
        assert outcome.tally.rejected == {"row too long": 1}
        assert outcome.tally.examples["row too long"] == [f"{tmp_path / 'in.parquet'}:2"]
    assert pq.read_table(tmp_path / "out.parquet")["n"].to_pylist() == [1, 3]


def test_a_list_of_millions_of_bits_is_a_row_that_is_too_long(tmp_path: Path) -> None:
    bits = pa.array([True]).take(pa.array([0]).take(pa.nulls(20_000_000, pa.int8()).fill_null(0)))
    lists = pa.ListArray.from_arrays(pa.array([0, 20_000_000, 20_000_000], pa.int32()), bits)
    pq.write_table(pa.table({"text": [SHORT] * 2, "bits": lists}), tmp_path / "in.parquet")
    outcome = run_filter([tmp_path / "in.parquet"], tmp_path / "out.jsonl", max_bytes=50_000_000)
    assert (outcome.tally.rejected, outcome.tally.kept) == ({"row too long": 1}, 1)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is limited where the platform can")
@pytest.mark.parametrize(
    "packing", ["zstd", *(pytest.param(name, marks=pytest.mark.full) for name in ("gzip", "brotli"))]
)
def test_a_page_that_unpacks_to_half_a_gigabyte_is_refused_by_row_group_and_column(
    tmp_path: Path, packing: str
) -> None:
    # In a process of its own: the writer holds the page twice, and this one would not give the memory back.
    code = (
        "import sys, pyarrow as pa, pyarrow.parquet as pq\n"
        "from tests.corpora.test_parquet_bombs import LONG, SHORT, repeat\n"
        "table = pa.table({'text': [SHORT] * 560, 'extra': repeat('a' * LONG, 560)})\n"
        "options = {'compression': sys.argv[2], 'use_dictionary': False, 'data_page_size': 1 << 30}\n"
        "pq.write_table(table, sys.argv[1], store_schema=False, **options)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "in.parquet"), packing]
    subprocess.run(command, check=True, cwd=ROOT, timeout=300)
    with pytest.raises(
        CorpusRefused, match=r"in\.parquet: row 1 of row group 0, column 'extra': needs too much memory"
    ):
        run_filter([tmp_path / "in.parquet"], tmp_path / "out.parquet")
    assert not (tmp_path / "out.parquet").exists()


def test_a_column_name_that_is_not_utf8_is_refused_by_that_name(tmp_path: Path) -> None:
    path = tmp_path / "in.parquet"
    for stored, nested in product((True, False), (True, False)):
        column = pa.array([{"caf_": 1}]) if nested else pa.array([1])
        pq.write_table(pa.table({"text": ["a"], "outer" if nested else "caf_": column}), path, store_schema=stored)
        path.write_bytes(path.read_bytes().replace(b"caf_", b"caf\xe9"))
        with pytest.raises(CorpusRefused, match=r"the name of the column 'caf\\xe9' is not UTF-8; rename the column"):
            run_filter([path], tmp_path / "out.parquet")
        assert os.listdir(tmp_path) == ["in.parquet"], (stored, nested)


def nest(levels: int) -> pa.Array:
    array: pa.Array = pa.array([1])
    for _ in range(levels):
        array = pa.StructArray.from_arrays([array], ["x"])
    return array


def test_a_schema_without_measure_is_refused(tmp_path: Path) -> None:
    for columns, message in (
        ({"deep": nest(parquet_rows.MAX_NESTING)}, "nested deeper than 32 levels"),
        ({f"c{n}": pa.array([1]) for n in range(parquet_rows.MAX_FIELDS)}, "more than 10,000 columns and fields"),
        ({"n" * parquet_rows.MAX_SCHEMA_BYTES: pa.array([1])}, "takes more than 4,000,000 bytes"),
    ):
        pq.write_table(pa.table({"text": ["a"], **columns}), tmp_path / "in.parquet")
        with pytest.raises(CorpusRefused, match=message):
            run_filter([tmp_path / "in.parquet"], tmp_path / "out.parquet")


def test_a_reader_that_dies_is_a_refusal_and_the_next_file_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pq.write_table(pa.table({"text": ["a"]}), tmp_path / "in.parquet")
    ask_schema(str(tmp_path / "in.parquet"))
    parquet_process._idle[-1].kill()
    while parquet_process._idle[-1].is_alive:
        time.sleep(0.01)
    with pytest.raises(CorpusRefused, match=r"in\.parquet: damaged, or needs too much memory .*exit code -9"):
        ask_schema(str(tmp_path / "in.parquet"))
    assert run_filter([tmp_path / "in.parquet"], tmp_path / "out.parquet").tally.kept == 1


@pytest.mark.parametrize("number", [12, pytest.param(60, marks=pytest.mark.full)])
def test_files_with_changed_bytes_are_read_or_refused(tmp_path: Path, number: int) -> None:
    rng = random.Random(11)
    rows = [{**row, "tags": ["x", None], "at": {"k": 1.5}} for row in make_rows(40)]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "whole.parquet", compression="snappy", row_group_size=20)
    whole = (tmp_path / "whole.parquet").read_bytes()
    path, ends = tmp_path / "in.parquet", {"read": 0, "refused": 0}
    for _ in range(number):
        data = bytearray(whole)
        for _ in range(rng.choice((1, 1, 3, 10))):
            at = rng.randrange(len(data) - 1_500, len(data)) if rng.random() < 0.7 else rng.randrange(len(data))
            data[at] = rng.choice((0, 0x7F, 0x80, 0xFF, rng.randrange(256)))
        path.write_bytes(data)
        try:
            schema = pa.ipc.read_schema(pa.py_buffer(ask_schema(str(path))))
            for piece in ask_pieces(Request(str(path), 0, 256, 4_000_000, 50_000_000, 9, 9)):
                assert unpack(piece.columns).schema.equals(schema)
            ends["read"] += 1
        except CorpusRefused:
            ends["refused"] += 1
    assert min(ends.values()) > 1, ends
