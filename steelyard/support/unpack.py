"""Read a file that may be packed with gzip. Its readers limit what they read: a megabyte can hold a gigabyte."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from steelyard.errors import InvalidFile
from steelyard.support.regular_file import open_regular_file

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
        with open_regular_file(path) as plain:
            yield gzip.GzipFile(fileobj=plain) if is_packed(plain.peek(2)) else plain
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InvalidFile(str(path), f"the gzip file is damaged ({error}); fetch it again") from error
