"""Files that may be packed: read as they are, damaged and oversized ones refused."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from steelyard.errors import InvalidFile
from steelyard.support import unpack


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_the_same_bytes_packed_or_not(tmp_path: Path, pack: type[bytes]) -> None:
    (tmp_path / "file").write_bytes(pack(b"one\ntwo\n"))
    assert unpack.read_unpacked(tmp_path / "file") == b"one\ntwo\n"


@pytest.mark.parametrize("cut", [3, 15, -1])
def test_a_damaged_file_is_named(tmp_path: Path, cut: int) -> None:
    (tmp_path / "file.gz").write_bytes(gzip.compress(b"one\n" * 100)[:cut])
    with pytest.raises(InvalidFile, match=r"file\.gz: the gzip file is damaged"):
        unpack.read_unpacked(tmp_path / "file.gz")


def test_a_small_file_that_unpacks_to_a_large_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpack, "MAX_UNPACKED_BYTES", 10_000)
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(b"\0" * 20_000_000))
    with pytest.raises(InvalidFile, match="more than 10,000 bytes after unpacking"):
        unpack.read_unpacked(tmp_path / "bomb.gz")
