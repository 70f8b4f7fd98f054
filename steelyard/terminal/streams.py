"""The standard streams: UTF-8, there even if the caller closed them, and silent once they have failed."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from typing import TextIO

# Of a write to a stream. One to a file of ours is reported where it happens, with the name of the file.
_WRITE_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)


def prepare_streams() -> None:
    """Make all three streams usable.

    A file opened later would get the number of a stream that was closed, and output meant for the stream would end up
    in the file. Reading or writing a stream that was closed is an error, except for messages, which are dropped.
    """
    if getattr(sys, "stdin", None) is None:
        sys.stdin = _open_stream(0, os.O_WRONLY, "r")
    if getattr(sys, "stdout", None) is None:
        sys.stdout = _open_stream(1, os.O_RDONLY, "w")
    if getattr(sys, "stderr", None) is None:
        sys.stderr = _open_stream(2, os.O_WRONLY, "w")
    for stream in (sys.stdout, sys.stderr):
        # Results are UTF-8 whatever the locale; a lone surrogate is written as its escape, which JSON reads back.
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]


def _open_stream(number: int, flags: int, mode: str) -> TextIO:
    opened = os.open(os.devnull, flags)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)
    os.set_inheritable(number, True)
    return open(number, mode, encoding="utf-8", closefd=False)  # type: ignore[return-value]


def silence(stream: TextIO) -> None:
    """Redirect a stream that failed to nothing: the interpreter's last flush must not fail and change the exit code."""
    with contextlib.suppress(OSError):  # a stream of a test has no number
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


def is_write_error(error: BaseException) -> bool:
    """Return whether an error comes from writing to a stream."""
    return isinstance(error, OSError) and error.filename is None and error.errno in _WRITE_ERRORS
