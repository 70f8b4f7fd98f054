"""Read a file that may be packed with gzip, up to a limit: a megabyte of gzip can hold a gigabyte."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from steelyard.errors import InvalidFile

MAX_UNPACKED_BYTES = 1_000_000_000
_MAGIC = b"\x1f\x8b"


def is_packed(start: bytes) -> bool:
    """Return whether a file that starts with these bytes is packed."""
    return start.startswith(_MAGIC)


@contextmanager
def open_unpacked(path: str | Path) -> Iterator[BufferedReader | gzip.GzipFile]:
    """Open a file for reading as bytes, unpacked.

    Raises:
        InvalidFile: The packed data is damaged; also while the file is being read.
    """
    try:
        with open(path, "rb") as plain:
            yield gzip.GzipFile(fileobj=plain) if is_packed(plain.peek(2)) else plain
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InvalidFile(str(path), f"the gzip file is damaged ({error}); fetch it again") from error


def read_unpacked(path: str | Path) -> bytes:
    """Return the bytes of a file, unpacked.

    Raises:
        InvalidFile: The packed data is damaged or too large.
    """
    with open_unpacked(path) as file:
        data = file.read(MAX_UNPACKED_BYTES + 1)
    if len(data) > MAX_UNPACKED_BYTES:
        raise InvalidFile(str(path), f"more than {MAX_UNPACKED_BYTES:,} bytes after unpacking; split it")
    return data
