"""One writer at a time: a lock file that names its owner, and is taken over when the owner is dead."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import socket
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steelyard.errors import SteelyardError
from steelyard.support.artifacts import to_json


class JournalLocked(SteelyardError):
    def __init__(self, path: Path, owner: str, lock: Path) -> None:
        super().__init__(f"{path}: in use by {owner}; wait until it ends (only if it cannot be running, delete {lock})")


class Lock:
    """`<path>.lock`, held through a lock of the operating system, which ends with the process, however it ends.

    The text in the file is for people. A lock file left by a dead owner is not locked, so whoever locks it first has
    taken it over; nobody has to judge whether a process is alive, and two cannot both succeed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = Path(f"{path}.lock")
        while (fd := self._attempt()) is None:
            pass
        self._fd = fd
        self._pid = os.getpid()
        _held.add(fd)
        try:
            os.ftruncate(fd, 0)
            os.write(fd, to_json(_owner(), indent=None).encode() + b"\n")
        except OSError:
            self.release()
            raise

    def _attempt(self) -> int | None:
        """The locked descriptor, or None if the file went away meanwhile."""
        flags = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        try:
            fd, new = os.open(self.file, flags | os.O_CREAT | os.O_EXCL, 0o666), True
        except FileExistsError:
            try:
                fd, new = os.open(self.file, flags), False
            except FileNotFoundError:
                return None
        try:
            owner = _read_owner(fd)
            # Where the file system knows no locks, the file itself is the lock, and only a person may break it.
            locked = _try_lock(fd)
            if locked is False or (locked is None and not new):
                raise JournalLocked(self.path, _described(owner), self.file)
            # Locks do not reach other machines on every network drive.
            if owner.get("host", socket.gethostname()) != socket.gethostname():
                raise JournalLocked(self.path, _described(owner), self.file)
            if self._is_still(fd):
                return fd
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)
        return None

    def _is_still(self, fd: int) -> bool:
        """Whether the descriptor is the file of that name: its last owner may have deleted it after we opened it."""
        try:
            return os.path.samestat(os.fstat(fd), os.stat(self.file))
        except FileNotFoundError:
            return False

    def release(self) -> None:
        if os.getpid() != self._pid or self._fd not in _held:
            return  # a forked child has no say
        _held.discard(self._fd)
        if sys.platform == "win32":  # an open file cannot be deleted there, nor one that somebody else has opened
            os.close(self._fd)
            with contextlib.suppress(OSError):
                self.file.unlink()
        else:  # deleted while it is ours: nobody can lock it in between and lose it
            with contextlib.suppress(OSError):
                self.file.unlink()
            os.close(self._fd)


_held: set[int] = set()


def _drop_in_child() -> None:
    """A forked child must not keep the lock alive after the owner's death."""
    for fd in _held:
        os.close(fd)
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_drop_in_child)


def _try_lock(fd: int) -> bool | None:
    """True if it is ours now, False if another process has it, None where the file system knows no locks."""
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


def _owner() -> dict[str, Any]:
    started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(_process_start()))
    return {"pid": os.getpid(), "host": socket.gethostname(), "started": started}


def _process_start() -> float:
    """When this process began, in seconds since 1970; now, where /proc does not tell."""
    try:
        ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
        boot = next(int(line[6:]) for line in Path("/proc/stat").read_text().splitlines() if line.startswith("btime "))
        return boot + ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, StopIteration, AttributeError):
        return time.time()


def _read_owner(fd: int) -> dict[str, Any]:
    try:
        found = json.loads(os.read(fd, 4096))
    except ValueError:  # killed before it could write its name
        found = {}
    os.lseek(fd, 0, os.SEEK_SET)
    return found if isinstance(found, dict) else {}


def _described(owner: Mapping[str, Any]) -> str:
    if not owner:
        return "another process"
    return f"process {owner.get('pid')} on {owner.get('host')}, started {owner.get('started')}"
