"""The process that works on an audit, and whether it still lives."""

from __future__ import annotations

import os
import socket
import sys
import time
from dataclasses import dataclass
from pathlib import Path

STALE = 120.0  # seconds without a sign of life after which a process on another host counts as dead


@dataclass(frozen=True, slots=True)
class Owner:
    """A process. Its start tells it from a later one with the same number; "" where the system does not say."""

    host: str
    pid: int
    start: str

    @classmethod
    def current(cls) -> Owner:
        """Return this process."""
        return cls(socket.gethostname(), os.getpid(), _read_start(os.getpid()) or "")

    def is_alive(self, heartbeat: float) -> bool:
        """Return whether the process lives; on another host, whether it gave a sign of life lately."""
        is_recent = abs(time.time() - heartbeat) < STALE
        if self.host != socket.gethostname():
            return is_recent
        if not _exists(self.pid):
            return False
        start = _read_start(self.pid)
        # Without the start, a number may have been given to another process, which the sign of life then tells.
        return start == self.start if start is not None and self.start else is_recent

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}"


def _exists(pid: int) -> bool:
    if sys.platform == "win32":  # where asking would end the process
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _read_start(pid: int) -> str | None:
    """Return when the process started, in ticks since this boot; None where there is no /proc."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return None
    state, *fields = stat.rpartition(")")[2].split()  # the name in parentheses may hold anything
    return "" if state in "ZX" else f"{boot}/{fields[18]}"  # a zombie does nothing any more
