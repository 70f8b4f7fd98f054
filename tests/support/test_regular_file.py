"""Only regular files are read: a pipe or a device may never end."""

from __future__ import annotations

import gzip
import os
import socket
from pathlib import Path

import pytest

from steelyard.errors import InvalidFile, PageUnreadable
from steelyard.support.artifacts import hash_file
from steelyard.support.regular_file import open_regular_file, open_unpacked, require_regular_file


@pytest.fixture
def special(tmp_path: Path) -> list[Path]:
    """A pipe, a socket, a device, and links to them."""
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as bound:
        here = os.getcwd()
        os.chdir(tmp_path)  # the name of a socket is short
        try:
            bound.bind("socket")
        finally:
            os.chdir(here)
    (tmp_path / "link").symlink_to("pipe")
    (tmp_path / "zeros").symlink_to("/dev/zero")
    return [tmp_path / "pipe", tmp_path / "socket", tmp_path / "link", tmp_path / "zeros", Path("/dev/zero")]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_pipes_devices_and_sockets_are_refused_at_once(special: list[Path]) -> None:
    for path in special:
        with pytest.raises(PageUnreadable, match="not a regular file but a device, pipe or socket; do this"):
            require_regular_file(path, "do this")
        with pytest.raises(OSError, match="not a regular file"):
            open_regular_file(path)
        with pytest.raises(PageUnreadable, match="not a regular file"):
            hash_file(path)
        with pytest.raises(OSError, match="not a regular file"), open_unpacked(path):
            pass


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    for path, reason in ((tmp_path / "absent", "no such file"), (tmp_path, "a directory"), ("a\0b", "no such file")):
        with pytest.raises(PageUnreadable, match=reason):
            require_regular_file(path)
        with pytest.raises(OSError):  # noqa: PT011 - whichever it is
            open_regular_file(path)


def test_a_file_is_read_through_links(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abc")
    (tmp_path / "link").symlink_to("file")
    assert require_regular_file(tmp_path / "link").st_size == 3
    with open_regular_file(tmp_path / "link") as file:
        assert file.read() == b"abc"


def test_a_file_is_read_packed_or_not_and_a_damaged_one_is_named(tmp_path: Path) -> None:
    data = b"one\ntwo\n" * 100
    packed = gzip.compress(data)
    for content in (data, packed, packed[:3], packed[:15], packed[:-1]):
        (tmp_path / "file.gz").write_bytes(content)
        if content in (data, packed):
            with open_unpacked(tmp_path / "file.gz") as file:
                assert file.read() == data
        else:
            with (
                pytest.raises(InvalidFile, match=r"file\.gz: the gzip file is damaged"),
                open_unpacked(tmp_path / "file.gz") as file,
            ):
                file.read()
