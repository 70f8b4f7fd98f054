"""One writer at a time: a lock file that names its owner, and that the next run takes over when the owner is dead."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import socket
import stat
import sys
import time
from pathlib import Path
from typing import Any

from steelyard.errors import SteelyardError
from steelyard.support.artifacts import to_json
from steelyard.support.regular_file import NotRegularFile


class Lock:
    """`<path>.lock`, held through a lock of the operating system, which ends with the process, however it ends.

    The text in the file is for people. A lock file left by a dead owner is not locked, so whoever locks it first owns
    it; nobody has to find out whether a process is alive, and two cannot both succeed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = Path(f"{path}.lock")
        while (fd := self._try_to_acquire()) is None:
            pass
        self._fd = fd
        self._pid = os.getpid()
        _held.add(fd)
        try:
            os.ftruncate(fd, 0)
            now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            owner = {"pid": self._pid, "host": socket.gethostname(), "since": now}
            os.write(fd, to_json(owner, indent=None).encode() + b"\n")
        except OSError:
            self.release()
            raise

    def _try_to_acquire(self) -> int | None:
        """Return the locked descriptor, or None if the file disappeared meanwhile.

        Raises:
            SteelyardError: Another process holds the lock, or a pipe or device has its name.
        """
        # Opening or reading a pipe would otherwise wait for its writer.
        flags = os.O_RDWR | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
        try:
            fd, is_new = os.open(self.file, flags | os.O_CREAT | os.O_EXCL, 0o666), True
        except FileExistsError:
            try:
                fd, is_new = os.open(self.file, flags), False
            except FileNotFoundError:
                return None
        acquired = False
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                reason = f"{NotRegularFile().strerror}; it is needed as a lock, so move it away"
                raise SteelyardError(f"{self.file}: {reason}")
            owner = _read_owner(fd)
            is_locked = _try_lock(fd)
            # Where the file system has no locks, the file itself is the lock, and only a person may break it.
            is_taken = is_locked is False or (is_locked is None and not is_new)
            # Locks do not reach other machines on every network drive.
            if is_taken or owner.get("host", socket.gethostname()) != socket.gethostname():
                raise SteelyardError(
                    f"{self.path}: in use by {_describe(owner)}; wait until it ends "
                    f"(only if it cannot be running, delete {self.file})"
                )
            acquired = self._is_still_there(fd)
        finally:
            if not acquired:
                os.close(fd)
        return fd if acquired else None

    def _is_still_there(self, fd: int) -> bool:
        """Return whether the descriptor is the file of that name; its last owner may have deleted it meanwhile."""
        try:
            return os.path.samestat(os.fstat(fd), os.stat(self.file))
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Delete the lock file and end the lock; a second call does nothing."""
        if os.getpid() != self._pid or self._fd not in _held:
            return  # a forked child must not release its parent's lock
        _held.discard(self._fd)
        if sys.platform == "win32":  # an open file cannot be deleted there, nor one that somebody else has opened
            os.close(self._fd)
        with contextlib.suppress(OSError):
            self.file.unlink()
        if sys.platform != "win32":  # deleted while it is ours: nobody can lock it in between and lose it
            os.close(self._fd)


_held: set[int] = set()  # the descriptors of this process's locks


def _close_in_child() -> None:
    """Close the locks a forked child inherits, which would otherwise outlive their owner."""
    for fd in _held:
        os.close(fd)
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_in_child)


def _try_lock(fd: int) -> bool | None:
    """Return True if the lock is ours now, False if another process has it, None if the file system has no locks."""
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(fd, 1 << 20, os.SEEK_SET)  # a byte beyond the text, which must stay readable
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
            os.lseek(fd, 0, os.SEEK_SET)
        else:
            import fcntl

            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
            return False
        if error.errno in (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS):
            return None
        raise
    return True


def _read_owner(fd: int) -> dict[str, Any]:
    """Return who has written the lock file; nothing if that is not what we write."""
    try:
        owner = json.loads(os.read(fd, 4096))
    except (ValueError, RecursionError):  # killed before it could write its name, or not written by us
        owner = {}
    os.lseek(fd, 0, os.SEEK_SET)
    is_ours = isinstance(owner, dict) and isinstance(owner.get("host"), str)
    return owner if is_ours else {}


def _describe(owner: dict[str, Any]) -> str:
    if not owner:
        return "another process"
    return f"process {owner.get('pid')} on {owner.get('host')} since {owner.get('since')}"
