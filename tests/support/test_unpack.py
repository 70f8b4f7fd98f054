"""Files that may be packed: read as they are, damaged ones refused."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from steelyard.errors import InvalidFile
from steelyard.support.regular_file import open_unpacked


def read(path: Path) -> bytes:
    with open_unpacked(path) as file:
        return file.read()


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_the_same_bytes_packed_or_not(tmp_path: Path, pack: type[bytes]) -> None:
    (tmp_path / "file").write_bytes(pack(b"one\ntwo\n"))
    assert read(tmp_path / "file") == b"one\ntwo\n"


@pytest.mark.parametrize("cut", [3, 15, -1])
def test_a_damaged_file_is_named(tmp_path: Path, cut: int) -> None:
    (tmp_path / "file.gz").write_bytes(gzip.compress(b"one\n" * 100)[:cut])
    with pytest.raises(InvalidFile, match=r"file\.gz: the gzip file is damaged"):
        read(tmp_path / "file.gz")
