"""No process that a scorer starts outlives this one: a helper process kills what is left when this one has ended.

Nothing in this process could do that after SIGKILL. See orphan_cleanup.py for what the helper does.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import secrets
import subprocess
import sys
import threading
from collections.abc import Mapping

from steelyard.lab.scorers import orphan_cleanup

VARIABLE = "STEELYARD_SCORER_OF"  # in the environment of every process of a scorer
_GRACE = 5.0  # seconds to wait for the helper at the end


class Cleanup:
    """The helper of this process, started with the first scorer process. Does nothing where there are no groups."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = 0  # a fork has this object too, but the helper is not its own
        self._mark = ""
        self._helper: subprocess.Popen[bytes] | None = None
        self._groups: set[int] = set()

    def mark(self, environment: Mapping[str, str]) -> Mapping[str, str]:
        """Return the environment for a process of a scorer; the marks of processes above this one stay in it."""
        if not hasattr(os, "killpg"):
            return environment
        with self._lock:
            if self._owner != os.getpid():
                self._owner, self._mark, self._helper = os.getpid(), secrets.token_hex(16), None
                self._groups = set()
            if self._helper is None:
                self._start_helper()
        return {**environment, VARIABLE: f"{environment.get(VARIABLE, '')}:{self._mark}"}

    def add(self, group: int) -> None:
        """Have this process group killed at the end."""
        with self._lock:
            self._groups.add(group)
            self._send(f"+{group}\n")

    def remove(self, group: int) -> None:
        """Forget a process group that was killed."""
        with self._lock:
            self._groups.discard(group)
            self._send(f"-{group}\n")

    def close(self) -> None:
        """Let the helper do its work, and wait for it."""
        with self._lock:
            helper, self._helper = self._helper, None
        if helper is None or self._owner != os.getpid():
            return
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            helper.communicate(timeout=_GRACE)

    def _start_helper(self) -> None:
        argv = [sys.executable, "-I", "-S", orphan_cleanup.__file__, self._mark]
        null = subprocess.DEVNULL
        try:
            helper = subprocess.Popen(
                argv, bufsize=0, stdin=subprocess.PIPE, stdout=null, stderr=null, cwd=os.sep, start_new_session=True
            )
        except OSError:  # without it everything works, unless this process is killed
            return
        assert helper.stdin is not None  # noqa: S101 - for mypy
        os.set_blocking(helper.stdin.fileno(), False)  # whoever stops the helper must not stop us
        self._helper = helper
        for group in self._groups:
            self._send(f"+{group}\n")

    def _send(self, line: str) -> None:
        if self._helper is None or self._helper.stdin is None:
            return
        try:
            self._helper.stdin.write(line.encode("ascii"))
        except OSError:  # someone killed it; the next scorer process starts another
            self._helper.stdin.close()
            self._helper.wait()
            self._helper = None


CLEANUP = Cleanup()
atexit.register(CLEANUP.close)
