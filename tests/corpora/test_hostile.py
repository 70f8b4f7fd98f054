"""Corpora made by strangers: each gets a clear message or a counted reject, and nothing half-written at the output."""

from __future__ import annotations

import errno
import gzip
import json
import os
import resource
import shutil
import stat
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from steelyard.corpora import corpus_files
from steelyard.corpora.columns import AddedColumns
from steelyard.corpora.lines import read_lines
from steelyard.errors import CannotWrite, CorpusRefused, MissingExtra, RunStopped
from tests.conftest import ROOT, run_here
from tests.corpora.shared import SHORT, make_plan, make_rows, read_jsonl, run_filter, write_jsonl

BAD_LINES = [
    (b'{"text": "\xff"}', "not UTF-8"),
    (b'{"text": "\xed\xa0\x80"}', "not UTF-8"),
    (b"\x00\x00\x00", "not JSON"),
    (b'{"text": "a\x00b"}', "not JSON"),
    (b'{"text": "a"', "not JSON"),
    (b'{"text": "a"} {"text": "b"}', "not JSON"),
    (b'["text"]', "not an object"),
    (b'"text"', "not an object"),
    (b"12", "not an object"),
    (b'{"text": "a", "text": "b"}', "repeated key"),
    (b'{"text": "a", "steelyard_score": 100}', "key already there"),
    (b'{"a":' * 100_000, "not JSON"),
    (b'{"text": "' + b"x" * 5_000 + b'"}', "line too long"),
    ('{"text": "a"}'.encode("utf-16"), "not UTF-8"),
]


@pytest.mark.parametrize("packing", ["", ".gz", ".zst"])
def test_bad_lines_are_rejected_by_number_and_the_others_kept(tmp_path: Path, packing: str) -> None:
    good = json.dumps({"text": SHORT}).encode()
    limit = 1_000_000
    lines = [line if reason != "line too long" else line + b"x" * limit for line, reason in BAD_LINES]
    data = b"\xef\xbb\xbf" + b"".join(good + b"\r\n" + line + b"\n" for line in lines)
    packers: dict[str, Callable[[bytes], bytes]] = {"": bytes, ".gz": gzip.compress, ".zst": zstandard.compress}
    source = tmp_path / f"in.jsonl{packing}"
    source.write_bytes(packers[packing](data))
    out, rejects = tmp_path / "out.jsonl", tmp_path / "rejects.jsonl"
    outcome = run_filter([source], out, rejects=str(rejects), max_bytes=limit)
    listed = [(row["row"], row["reason"]) for row in read_jsonl(rejects)]
    assert listed == [(2 * n + 2, reason) for n, (_, reason) in enumerate(BAD_LINES)]
    assert [row["text"] for row in read_jsonl(out)] == [SHORT] * len(BAD_LINES)
    assert outcome.tally.rejected.total() == len(BAD_LINES)


def test_a_line_over_the_limit_is_never_held_in_memory(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl.gz"
    with gzip.open(source, "wb", 1) as file:
        for _ in range(60):
            file.write(b"x" * 1_000_000)
        file.write(b'\n{"text": "a"}')
    [found] = corpus_files.find_files([str(source)])
    tracemalloc.start()
    lines = list(read_lines(found, 100_000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [(line.number, line.data) for line in lines] == [(1, None), (2, b'{"text": "a"}')]
    assert peak < 10_000_000


def test_a_row_of_millions_of_values_is_not_parsed(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", ['{"text": "a", "x": [' + "[]," * 3_000_001 + "0]}", {"text": SHORT}])
    outcome = run_filter([source], tmp_path / "out.jsonl")
    assert outcome.tally.rejected == {"too many values": 1}
    assert len(read_jsonl(tmp_path / "out.jsonl")) == 1


def test_a_line_may_be_as_long_as_the_limit(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(b"x" * 10 + b"\n" + b"y" * 11 + b"\n" + b"z" * 11)
    [found] = corpus_files.find_files([str(tmp_path / "in.jsonl")])
    assert [line.data and len(line.data) for line in read_lines(found, 10)] == [11, None, None]


@pytest.mark.parametrize("suffix", ["gz", "zst"])
def test_a_damaged_packed_file_is_refused_by_name(tmp_path: Path, suffix: str) -> None:
    plain = b"".join(json.dumps(row).encode() + b"\n" for row in make_rows(30))
    packed = gzip.compress(plain) if suffix == "gz" else zstandard.compress(plain)
    changed = bytearray(packed)
    changed[len(packed) // 2] ^= 0xFF
    source = tmp_path / f"in.jsonl.{suffix}"
    for data in (packed[:-9], changed[:-9], plain):
        source.write_bytes(data)
        with pytest.raises(CorpusRefused, match=rf"in\.jsonl\.{suffix}: the packed file is damaged or cut short"):
            run_filter([source], tmp_path / "out.jsonl")
        assert not (tmp_path / "out.jsonl").exists()
        shutil.rmtree(tmp_path / "out.jsonl.partial", ignore_errors=True)


def write_table(path: Path, **columns: Any) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


WRONG_COLUMNS: list[tuple[dict[str, Any], str]] = [
    ({"body": ["a"]}, r"has no column 'text' \(columns: body\); name it with --text"),
    ({"text": [1]}, "the column 'text' is int64, not text"),
    ({"text": pa.array([b"a"])}, "the column 'text' is binary, not text"),
    ({"text": ["a"], "steelyard_score": [1.0]}, "has a column 'steelyard_score' already"),
    (
        {"text": ["a"], "k": pa.array([["x"]], pa.list_(pa.dictionary(pa.int8(), pa.string())))},
        "the column 'k' is .*dictionary.*, which is not supported; drop it",
    ),
]


def test_a_parquet_file_with_wrong_columns_is_refused(tmp_path: Path) -> None:
    for columns, message in WRONG_COLUMNS:
        with pytest.raises(CorpusRefused, match=message):
            run_filter([write_table(tmp_path / "in.parquet", **columns)], tmp_path / "out.parquet")
        assert os.listdir(tmp_path) == ["in.parquet"], message


def test_another_schema_in_the_middle_is_refused_before_the_work(tmp_path: Path) -> None:
    files = [write_table(tmp_path / f"{n}.parquet", text=["a"], n=[1]) for n in (1, 2, 3)]
    for second, difference in (
        ({"text": ["a"], "n": ["1"]}, "'n' is pyarrow.Field<n: string> here and pyarrow.Field<n: int64> there"),
        ({"text": ["a"]}, "'n' is missing here"),
        ({"n": [1], "text": ["a"]}, "the same columns in another order"),
    ):
        write_table(files[1], **second)
        with pytest.raises(CorpusRefused) as refused:
            run_filter(files, tmp_path / "out.parquet")
        assert str(refused.value).startswith(f"{files[1]}: other columns than {files[0]} (")
        assert difference in str(refused.value)


def test_a_corrupt_parquet_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "in.parquet"
    pq.write_table(pa.Table.from_pylist(make_rows(300)), path, compression="zstd")
    data = path.read_bytes()
    for damaged in (b"", data[:-20], data[:100] + bytes(len(data) - 700) + data[-600:]):
        path.write_bytes(damaged)
        with pytest.raises(CorpusRefused, match=r"in\.parquet: not a whole Parquet file"):
            run_filter([path], tmp_path / "out.parquet")
        assert not (tmp_path / "out.parquet").exists()
        shutil.rmtree(tmp_path / "out.parquet.partial", ignore_errors=True)


def test_text_in_parquet_that_is_not_utf8_is_an_error_of_its_row(tmp_path: Path) -> None:
    text = pa.StringArray.from_buffers(
        2, pa.py_buffer(b"\0\0\0\0\2\0\0\0\3\0\0\0"), pa.py_buffer(b"\xff\xfea")
    )  # not checked, as in a file of another program
    source = write_table(tmp_path / "in.parquet", text=text)
    for target in ("out.parquet", "out.jsonl"):
        outcome = run_filter([source], tmp_path / target)
        counted = outcome.tally.unscored if target == "out.parquet" else outcome.tally.rejected
        assert counted == {"not UTF-8": 1}
    assert pq.read_table(tmp_path / "out.parquet")["text"].cast(pa.binary()).to_pylist() == [b"\xff\xfe", b"a"]
    assert [row["text"] for row in read_jsonl(tmp_path / "out.jsonl")] == ["a"]


def test_what_the_other_kind_of_file_cannot_hold_is_refused_or_rejected(tmp_path: Path) -> None:
    source = write_table(tmp_path / "in.parquet", text=["a"], raw=pa.array([b"x"]))
    with pytest.raises(CorpusRefused, match="the column 'raw' is binary, which JSON cannot hold; write Parquet"):
        run_filter([source], tmp_path / "out.jsonl")
    lines = ['{"text": "\\ud800"}', '{"text": 5}', '{"text": "a", "\\udfff": 1}', '{"text": "a", "k": ["\\ud800"]}']
    source = write_jsonl(tmp_path / "in.jsonl", [*lines, {f"k{n}": n for n in range(1_001)}])
    outcome = run_filter([source], tmp_path / "out.parquet", added=AddedColumns(evidence=True))
    assert outcome.tally.rejected == {"half a character": 2, "not a string": 1, "too many keys": 1}
    assert pq.read_table(tmp_path / "out.parquet")["k"].to_pylist() == ['["\\ud800"]']


def test_too_many_keys_over_all_rows_are_refused(tmp_path: Path) -> None:
    rows = [{f"k{row}-{n}": n for n in range(400)} for row in range(8)]
    with pytest.raises(CorpusRefused, match="more than 1,000 different keys"):
        run_filter([write_jsonl(tmp_path / "in.jsonl", rows)], tmp_path / "out.parquet", batch_size=1)
    assert not (tmp_path / "out.parquet").exists()


def test_an_empty_input_gives_an_empty_output(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(b"\n \n")
    for name in ("out.jsonl", "out.jsonl.gz", "out.jsonl.zst"):
        assert run_filter([tmp_path / "in.jsonl"], tmp_path / name).tally.rows == 0
        again = run_filter([tmp_path / name], tmp_path / "again.jsonl")
        assert (again.tally.rows, (tmp_path / "again.jsonl").read_bytes()) == (0, b""), name
    source = write_table(tmp_path / "in.parquet", text=pa.array([], pa.string()))  # which keeps its columns
    run_filter([source], tmp_path / "out.parquet")
    out = pq.read_table(tmp_path / "out.parquet")
    assert (out.num_rows, out.column_names[:2]) == (0, ["text", "steelyard_score"])


def test_pipes_devices_unknown_files_and_those_given_twice_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "in.jsonl")
    (tmp_path / "device.jsonl").symlink_to("/dev/zero")
    (tmp_path / "in.csv").write_text("text\n")
    (tmp_path / "empty").mkdir()
    source = write_jsonl(tmp_path / "pages.jsonl", make_rows(1))
    (tmp_path / "link.jsonl").symlink_to(source)
    for name, message in (
        ("in.jsonl", "not a regular file (a pipe or a device)"),
        ("device.jsonl", "not a regular file (a pipe or a device)"),
        ("in.csv", "unknown kind of file"),
        ("absent.jsonl", "No such file or directory"),
        ("empty", "no corpus in this directory"),
        ("link.jsonl", "the same file as"),
    ):
        with pytest.raises(CorpusRefused) as refused:
            make_plan([source, tmp_path / name], tmp_path / "out.jsonl")
        assert str(refused.value).startswith(f"{tmp_path / name}: {message}")


def test_a_file_that_changes_while_it_is_read_is_noticed(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", make_rows(3))
    plan = make_plan([source], tmp_path / "out.jsonl")
    write_jsonl(source, make_rows(4))
    from steelyard.corpora.run import filter_corpus

    with pytest.raises(CorpusRefused, match="changed while it was being read"):
        filter_corpus(plan)
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_a_full_disk_stops_the_run_and_the_same_command_continues_it(tmp_path: Path, kind: str) -> None:
    rows = [{"text": SHORT * 40 + str(n)} for n in range(24)]
    source = write_jsonl(tmp_path / "in.jsonl", rows)
    out = tmp_path / f"out.{kind}"
    # No file may grow over a limit, which the last step, joining, exceeds: to a program it is like a full disk.
    code = "import sys, resource; resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]),) * 2)\n"
    code += "from tests.corpora.shared import run_filter; run_filter([sys.argv[1]], sys.argv[2])"
    limit = 20_000 if kind == "jsonl" else 2_000
    done = subprocess.run(
        [sys.executable, "-c", code, str(source), str(out), str(limit)],
        capture_output=True, text=True, check=False, cwd=ROOT, timeout=600,
    )  # fmt: skip
    assert "RunStopped" in done.stderr
    assert "cannot write" in done.stderr
    assert not out.exists()
    outcome = run_filter([source], out)
    assert outcome.tally.kept == len(rows)
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


def test_no_space_while_a_part_is_written_keeps_the_finished_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", make_rows(20))
    real, calls = os.fsync, []

    def fail_later(fd: int) -> None:
        calls.append(fd)
        if len(calls) == 6:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(fd)

    monkeypatch.setattr(os, "fsync", fail_later)
    with pytest.raises(RunStopped, match=r"cannot write \(No space left on device\); finished parts are kept"):
        run_filter([source], tmp_path / "out.jsonl")
    monkeypatch.undo()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.jsonl", "out.jsonl.partial"]
    assert run_filter([source], tmp_path / "out.jsonl").rows == 20 - 2 * 6
    assert [row["id"] for row in read_jsonl(tmp_path / "out.jsonl")] == list(range(20))


def test_outputs_that_are_inputs_or_cannot_be_written_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    source = write_jsonl(folder / "in.jsonl", make_rows(2))
    before = source.read_bytes()
    (tmp_path / "same.jsonl").symlink_to(source)
    closed = tmp_path / "closed"
    closed.mkdir(mode=stat.S_IRUSR | stat.S_IXUSR)
    cases = [
        (source, ("-o", str(source)), "this is also an input"),
        (source, ("-o", str(tmp_path / "same.jsonl")), "this is also an input"),
        (folder, ("-o", str(folder / "out.jsonl")), "in the input folder"),
        (source, ("-o", str(tmp_path)), "not a regular file"),
        (source, ("-o", "/dev/null"), "not a regular file"),
        (source, ("-o", str(tmp_path / "absent" / "out.jsonl")), "there is no such folder"),
        (source, ("-o", str(tmp_path / "out.csv")), "unknown kind of file"),
        (source, ("-o", str(tmp_path / "o.jsonl"), "--rejects", str(tmp_path / "o.jsonl")), "the same file"),
        (source, ("-o", str(tmp_path / "o.jsonl"), "--rejects", str(tmp_path / "r.parquet")), "rejects are written as"),
        (source, ("-o", str(tmp_path / "o.jsonl"), "--report", str(tmp_path / "no" / "r.html")), "no such folder"),
    ]
    if os.geteuid() != 0:  # root may write everywhere
        cases.append((source, ("-o", str(closed / "out.jsonl")), "the folder is not writable"))
    from steelyard.corpora.corpus_files import check_outputs

    for target, options, message in cases:
        named = dict(zip(options[::2], options[1::2], strict=True))
        with pytest.raises((CorpusRefused, CannotWrite)) as refused:  # noqa: PT012 - two ways to the same end
            files = corpus_files.find_files([str(target)])
            check_outputs([str(target)], files, named["-o"], named.get("--rejects"), named.get("--report"))
            make_plan([target], named["-o"])
        assert message in str(refused.value)
    done = run_here("filter", str(source), "-o", str(source))
    assert (done.returncode, source.read_bytes()) == (2, before)
    assert done.stderr.startswith(f"steelyard: {source}: this is also an input")


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, package in (("in.parquet", "pyarrow"), ("in.jsonl.zst", "zstandard")):
        fmt = corpus_files.format_of(name)
        assert fmt is not None
        monkeypatch.setattr(
            corpus_files, "find_spec", lambda wanted, lost=package: None if wanted == lost else object()
        )
        with pytest.raises(MissingExtra, match=rf"{package}.*steelyard\[bulk\]"):
            corpus_files.require_packages(fmt)


def test_jsonl_and_gzip_need_neither_package(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", make_rows(2))
    code = "import sys\nsys.modules['pyarrow'] = sys.modules['zstandard'] = None\n"
    code += "from tests.corpora.shared import run_filter\nrun_filter([sys.argv[1]], sys.argv[2])"
    command = [sys.executable, "-c", code, str(source), str(tmp_path / "out.jsonl.gz")]
    subprocess.run(command, check=True, cwd=ROOT, timeout=600)
    assert gzip.decompress((tmp_path / "out.jsonl.gz").read_bytes()).count(b"\n") == 2
