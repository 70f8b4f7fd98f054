"""The process of a command: its standard streams, its interrupts, its exit codes.

The streams are UTF-8, there even if the caller closed them, and silent once they have failed.

Ctrl-C and SIGTERM are never lost. Python raises KeyboardInterrupt wherever the main thread happens to be. In a
`__del__` method or the callback of a weak reference, of which importing uses many, an exception cannot leave: Python
prints it and goes on as if nobody had pressed anything.
"""

from __future__ import annotations

import _thread
import contextlib
import errno
import os
import signal
import sys
import time
from typing import Any, TextIO

CANNOT, INTERRUPTED = 2, 130  # exit codes; 0: all is well, 1: findings
# Of a write to a stream. One to a file of ours is reported where it happens, with the name of the file.
_WRITE_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
_AGAIN = 0.01  # seconds; by then a method that cannot raise is over


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


def keep_interrupts() -> None:
    """End the program by Ctrl-C and SIGTERM alike, and raise an interrupt again where it could not leave."""
    if hasattr(signal, "SIGTERM"):
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    before, main_thread = sys.unraisablehook, _thread.get_ident()

    def handle(lost: Any) -> None:
        if lost.exc_type is not None and issubclass(lost.exc_type, KeyboardInterrupt):
            # No lock is taken here: the main thread may hold any of them.
            _thread.start_new_thread(_interrupt_again, (main_thread,))
        else:
            before(lost)

    sys.unraisablehook = handle


def _interrupt_again(main_thread: int) -> None:
    time.sleep(_AGAIN)
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(main_thread, signal.SIGINT)  # a real one, which also ends a call that waits
    else:
        _thread.interrupt_main()
