"""Open files that a user named: only regular ones, since a pipe or a device may never end; packed with gzip or not."""

from __future__ import annotations

import errno
import gzip
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader, FileIO

from steelyard.errors import InvalidFile, PageUnreadable, explain_os_error

SAVE_FIRST = "save it to a file and name that"
MAX_UNPACKED_BYTES = 1_000_000_000  # for readers of packed files: a megabyte can hold a gigabyte
_BUFFER = 1 << 20  # bytes; lines of gigabytes are skipped four times as fast as with the usual 8 KiB
_GZIP_MAGIC = b"\x1f\x8b"
_REASON = "not a regular file but a device, pipe or socket"


class NotRegularFile(OSError):
    """A device, pipe or socket."""

    def __init__(self) -> None:
        super().__init__(errno.EINVAL, _REASON)


def open_regular_file(path: str | os.PathLike[str]) -> BufferedReader:
    """Open a regular file for reading; links are followed.

    Raises:
        OSError: It cannot be opened, or is something else; its `strerror` says what.
    """
    _stat_regular_file(path)
    return BufferedReader(FileIO(path), _BUFFER)


def require_regular_file(path: str | os.PathLike[str], advice: str = SAVE_FIRST) -> os.stat_result:
    """Return the status of a regular file; links are followed.

    Args:
        path: The file.
        advice: What to do about a pipe or a device.

    Raises:
        PageUnreadable: It does not exist, or is a directory, device, pipe or socket.
    """
    try:
        return _stat_regular_file(path)
    except NotRegularFile as error:
        raise PageUnreadable(f"{path}: {_REASON}; {advice}") from error
    except OSError as error:
        raise explain_os_error(path, error) from error


def _stat_regular_file(path: str | os.PathLike[str]) -> os.stat_result:
    try:
        status = os.stat(path)
    except ValueError as error:  # a NUL in the name
        raise FileNotFoundError(errno.ENOENT, str(error)) from error
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(status.st_mode):
        raise NotRegularFile
    return status


def is_packed(start: bytes) -> bool:
    """Return whether a file that starts with these bytes is packed."""
    return start.startswith(_GZIP_MAGIC)


@contextmanager
def open_unpacked(path: str | os.PathLike[str]) -> Iterator[BufferedReader | gzip.GzipFile]:
    """Open a file for reading as bytes, unpacked.

    Raises:
        InvalidFile: The packed data is damaged; also while the file is being read.
    """
    try:
        with open_regular_file(path) as plain:
            yield gzip.GzipFile(fileobj=plain) if is_packed(plain.peek(2)) else plain
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InvalidFile(str(path), f"the gzip file is damaged ({error}); fetch it again") from error
