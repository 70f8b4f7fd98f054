"""Record files: what can be read, and that everything else is refused with its line and without a traceback."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.errors import InvalidFile, PageUnreadable, SteelyardError
from steelyard.lab.outcome.records import rows
from steelyard.lab.outcome.records.rows import Row, hash_query, make_distinct, read_rows


def written(tmp_path: Path, data: bytes, name: str = "r.jsonl") -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    "data",
    [
        b'{"a": 1}\n{"a": 2}\n',
        b'{"a": 1}\n\n  \n{"a": 2}',
        b'\xef\xbb\xbf{"a": 1}\r\n{"a": 2}\r\n',
        b'[{"a": 1}, {"a": 2}]',
        b'\xef\xbb\xbf\n [\n{"a": 1},\n{"a": 2}\n]\n',
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_lines_and_lists_are_read_alike_packed_or_not_whatever_the_name(
    tmp_path: Path, data: bytes, packed: bool
) -> None:
    path = written(tmp_path, gzip.compress(data, mtime=0) if packed else data, "anything.txt")
    assert [row.value for row in read_rows(path)] == [{"a": 1}, {"a": 2}]


def test_a_row_knows_its_line_and_a_line_separator_ends_none(tmp_path: Path) -> None:
    path = written(tmp_path, '{"a": "x\u2028y\u0085z"}\n\n{"a": 2}\n'.encode())
    first, second = read_rows(path)
    assert (first.where, second.where) == (f"{path}:1", f"{path}:3")
    assert first.text("a") == "x\u2028y\u0085z"
    listed = written(tmp_path, b'[{"a": 1}, {"a": 2}]')
    assert [row.where for row in read_rows(listed)] == [f"{listed}, record 1", f"{listed}, record 2"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", r"r\.jsonl: holds no records"),
        (b"\n \n", r"r\.jsonl: holds no records"),
        (b"[]", r"r\.jsonl: holds no records"),
        (b"\x00\x01\x02", r"r\.jsonl: a binary file"),
        ('{"a": 1}'.encode("utf-16"), r"r\.jsonl: a binary file"),
        (b'{"a": 1}\n{"a": \n', r"r\.jsonl:2: not JSON \(Expecting value at column 6\)"),
        (b'{"a": 1}\n{"a": "\xff"}\n', r"r\.jsonl:2: not JSON \(not UTF-8 at byte 7\)"),
        (b'{"a": 1}\n[1, 2]\n', r"r\.jsonl:2: a JSON list, not an object"),
        (b'{"a": 1}\n"text"\n', r"r\.jsonl:2: a JSON str, not an object"),
        (b'[{"a": 1}, 3]', r"r\.jsonl, record 2: a JSON int, not an object"),
        (b'[\n{"a": 1},\n{"a"}]', r"r\.jsonl: not JSON \(line 3, Expecting"),
        (b'{"a": NaN}', r"r\.jsonl:1: not JSON \(NaN is not a JSON number"),
        (b'{"a": [1, -Infinity]}', r"r\.jsonl:1: not JSON \(-Infinity is not a JSON number"),
        (b'{"a": ' + b"9" * 5000 + b"}", r"r\.jsonl:1: not JSON"),
        (b'{"a": ' + b"[" * 200_000 + b"\n", r"r\.jsonl:1: nested too deep"),
        (b"<html><body>no records</body></html>", r"r\.jsonl:1: not JSON"),
        (gzip.compress(b'{"a": 1}\n' * 9999, mtime=0)[:-20], r"r\.jsonl: the gzip file is damaged"),
        (b"\x1f\x8b\x08\x00garbage that is no gzip", r"r\.jsonl: the gzip file is damaged"),
        (gzip.compress(b'{"a": 1}\n', mtime=0)[:-6] + b"\0\0\0\0\0\0", r"r\.jsonl: the gzip file is damaged"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, data: bytes, message: str) -> None:
    path = written(tmp_path, data)
    with pytest.raises(InvalidFile, match=message):
        list(read_rows(path))


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PageUnreadable, match="no such file"):
        list(read_rows(tmp_path / "absent"))
    with pytest.raises(PageUnreadable, match="a directory"):
        list(read_rows(tmp_path))
    with pytest.raises(PageUnreadable, match="no such file"):
        list(read_rows("a\0b"))
    with pytest.raises(PageUnreadable, match="File name too long"):
        list(read_rows("x" * 5000))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(PageUnreadable, match="not a regular file"):
        list(read_rows(tmp_path / "pipe"))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, b"{}")
    path.chmod(0)
    with pytest.raises(PageUnreadable, match="permission denied"):
        list(read_rows(path))


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_is_not_read_beyond_the_limits(tmp_path: Path, packed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def file(data: bytes) -> Path:
        return written(tmp_path, gzip.compress(data, mtime=0) if packed else data)

    lines = b'{"a": 1}\n' * 1000
    monkeypatch.setattr(rows, "MAX_UNPACKED_BYTES", 9000)
    assert sum(1 for _ in read_rows(file(lines))) == 1000
    monkeypatch.setattr(rows, "MAX_UNPACKED_BYTES", 8999)
    with pytest.raises(InvalidFile, match="more than 8,999 bytes after unpacking"):
        list(read_rows(file(lines)))
    monkeypatch.setattr(rows, "MAX_UNPACKED_BYTES", 10**9)
    monkeypatch.setattr(rows, "MAX_RECORD_BYTES", 100)
    with pytest.raises(InvalidFile, match=":1: the line is longer than 100 bytes"):
        list(read_rows(file(b" " * 1_000_000)))
    with pytest.raises(InvalidFile, match="more than 100 bytes after unpacking"):
        list(read_rows(file(b"[" + b" " * 1_000_000 + b"]")))


def test_a_gzip_bomb_stops_at_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "MAX_UNPACKED_BYTES", 1_000_000)
    path = written(tmp_path, gzip.compress(b"\n" * 20_000_000, 9))
    assert path.stat().st_size < 60_000
    with pytest.raises(InvalidFile, match="more than 1,000,000 bytes after unpacking"):
        list(read_rows(path))


@given(st.binary(max_size=200))
@settings(max_examples=80, deadline=None)
def test_any_bytes_give_rows_or_an_error_that_says_why(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    for content in (data, gzip.compress(data, mtime=0), b"\x1f\x8b" + data, b'{"a": ' + data, b"[" + data):
        path = written(tmp_path_factory.getbasetemp(), content, "any.jsonl")
        try:
            said = str(path) if all(isinstance(row.value, dict) for row in read_rows(path)) else ""
        except SteelyardError as error:
            said = str(error)
        assert said.startswith(str(path))


# One row


@pytest.mark.parametrize(
    ("ask", "value", "message"),
    [
        ("text", {}, "`k` is missing (keys seen: none)"),
        ("text", {"other": 1, "more": 2}, "`k` is missing (keys seen: other, more)"),
        ("text", {"k": None}, "`k` is null"),
        ("text", {"k": 3}, "`k` is a int, and must be a string"),
        ("text", {"k": " \n"}, "`k` is empty"),
        ("name", {"k": 1.5}, "`k` is a float, and must be a string"),
        ("name", {"k": True}, "`k` is a bool, and must be a string"),
        ("number", {"k": "1"}, '`k` is "1", and must be a number'),
        ("number", {"k": True}, "`k` is true, and must be a number"),
        ("number", {"k": float("nan")}, "`k` is nan, and must be a finite number"),
        ("number", {"k": 10**400}, "`k` is inf, and must be a finite number"),
        ("share", {"k": float("inf")}, "`k` is inf, and must be a finite number"),
        ("share", {"k": 1.01}, "`k` is 1.01, and a share is between 0 and 1"),
        ("share", {"k": -0.1}, "`k` is -0.1, and a share is between 0 and 1"),
        ("whole", {"k": 1.5}, "`k` is 1.5, and must be a whole number of at most 1,000,000,000"),
        ("whole", {"k": 1e308}, "`k` is 1e+308, and must be a whole number of at most 1,000,000,000"),
        ("whole", {"k": "x"}, '`k` is "x", and must be a number'),
        ("row", {"k": [1]}, "`k` is a list, and must be an object"),
        ("rows", {"k": {}}, "`k` is a dict, and must be a list"),
        ("rows", {"k": []}, "`k` is an empty list, and must have entries"),
        ("rows", {"k": [{}, 3]}, "`k[1]` is a int, and must be an object"),
        ("texts", {"k": ["a", 3]}, "`k[1]` is a int, and must be a string"),
    ],
)
def test_a_row_refuses_what_is_not_there(ask: str, value: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidFile) as refused:
        getattr(Row("f:7", value), ask)("k")
    assert str(refused.value) == f"f:7: {message}"


def test_a_list_of_numbers_names_the_entry_that_is_none() -> None:
    assert Row("f:7", {"k": [0.5, 1, 2]}).numbers("k") == (0.5, 1.0, 2.0)
    with pytest.raises(InvalidFile, match=r"f:7: `k\[1\]` is \"x\", and must be a number"):
        Row("f:7", {"k": [0.5, "x"]}).numbers("k")


def test_an_index_may_be_written_in_three_ways_and_must_be_in_range() -> None:
    for value, expected in ((0, 0), (2, 2), ("1", 1), (2.0, 2)):
        assert Row("f:7", {"k": value}).index("k", 3) == expected
    for beyond in (3, -1, "3", 10**30, "9" * 5000):
        with pytest.raises(InvalidFile, match=r"^f:7: `k` is "):
            Row("f:7", {"k": beyond}).index("k", 3)


def test_a_message_stays_short_whatever_the_file_says() -> None:
    with pytest.raises(InvalidFile) as refused:
        Row("f:7", {"x" * 10**6: 1}).text("k")
    assert len(str(refused.value)) < 700


def test_a_nested_row_says_where_it_stands() -> None:
    row = Row("f:7", {"sources": [{"a": 1}, {"b": 2}]})
    with pytest.raises(InvalidFile, match=r"f:7, sources\[1\]: `a` is missing \(keys seen: b\)"):
        [source.number("a") for source in row.rows("sources")]


def test_a_query_has_one_name_and_half_a_pair_is_no_obstacle() -> None:
    assert hash_query("who boils tar") == hash_query("who boils tar") != hash_query("who boils tar?")
    assert len(hash_query(json.loads('"\\ud800"'))) == 12


def test_repeated_names_are_told_apart() -> None:
    assert make_distinct(["a", "b", "a", "a"]) == ["a", "b", "a#2", "a#3"]
