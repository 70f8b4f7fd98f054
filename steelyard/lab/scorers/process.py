"""A child process whose pipes can neither block us nor fill our memory."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO

from steelyard.lab.scorers.base import NOT_A_NUMBER, ScorerFailed
from steelyard.lab.scorers.orphans import CLEANUP
from steelyard.support.escape import make_visible

MAX_OUTPUT = 64 * 1024  # bytes of one line, or of the whole output
_MAX_STDERR = 4096  # bytes kept
_MAX_SHOWN = 200  # characters of stderr in a message
_CHUNK = 16 * 1024
_POLL = 0.1  # seconds between two checks whether a silent process still runs
_GRACE = 0.3  # seconds to wait for the last bytes of a process that has ended
_FIRST_PAUSE, _MAX_PAUSE = 0.0005, 0.05  # seconds between two looks whether a process has ended
_MAX_UNREAD = 64  # lines; a scorer answers each request with one


class Process:
    """A program in its own process group, with a thread for each of its pipes.

    Only threads can wait on pipes on every system. They end with the process. `kill` must be called in the end, also
    for a program that has ended: what it started in the background ends there.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        by_line: bool,
        folder: Path | None = None,
        environment: Iterable[tuple[str, str]] = (),
    ) -> None:
        pipe = subprocess.PIPE
        # In a session of its own: its children can be killed with it, and Ctrl-C reaches only us.
        marked = CLEANUP.mark({**os.environ, **dict(environment)})
        self._popen = subprocess.Popen(
            argv, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder, env=marked, start_new_session=True
        )
        CLEANUP.add(self._popen.pid)
        self.output = bytearray()  # without the lines that `receive` returns
        self._by_line = by_line
        self._received: queue.Queue[bytes | ScorerFailed | None] = queue.Queue()
        self._to_send: queue.Queue[bytes | None] = queue.Queue()
        self._stderr = b""
        self._is_killed = False
        stdin, stdout, stderr = self._popen.stdin, self._popen.stdout, self._popen.stderr
        assert stdin is not None and stdout is not None and stderr is not None  # noqa: S101, PT018 - for mypy
        self._threads = [
            threading.Thread(target=work, args=(pipe,), daemon=True)
            for work, pipe in ((self._write, stdin), (self._read_stdout, stdout), (self._read_stderr, stderr))
        ]
        for thread in self._threads:
            thread.start()

    def _write(self, pipe: IO[bytes]) -> None:
        with contextlib.suppress(OSError), pipe:  # the process may end or close its stdin before it has read all
            while (data := self._to_send.get()) is not None:
                rest = memoryview(data)
                while rest:
                    rest = rest[pipe.write(rest) :]

    def _read_stdout(self, pipe: IO[bytes]) -> None:
        with contextlib.suppress(OSError), pipe:
            while chunk := pipe.read(_CHUNK):
                self.output += chunk
                while self._by_line and (end := self.output.find(b"\n")) >= 0:
                    self._received.put(bytes(self.output[:end]))
                    del self.output[: end + 1]
                if len(self.output) > MAX_OUTPUT or self._received.qsize() > _MAX_UNREAD:
                    message = f"over {MAX_OUTPUT:,} bytes of output instead of a number"
                    self._received.put(ScorerFailed(NOT_A_NUMBER, message))
                    return
        self._received.put(None)

    def _read_stderr(self, pipe: IO[bytes]) -> None:
        with contextlib.suppress(OSError), pipe:
            while chunk := pipe.read(_CHUNK):
                self._stderr = (self._stderr + chunk)[-_MAX_STDERR:]

    def send(self, data: bytes | None) -> None:
        """Write to stdin, or close it with None; does not wait for the process to read."""
        self._to_send.put(data)

    def receive(self, deadline: float) -> bytes | None:
        """Return the next line, or None at the end of the output.

        Raises:
            TimeoutError: Nothing came until the deadline, a time of the monotonic clock.
            ScorerFailed: The process wrote more than a scorer may.
        """
        while True:
            left = deadline - time.monotonic()
            has_ended = self._find_status() is not None
            try:
                answer = self._received.get(timeout=_GRACE if has_ended else max(0.0, min(left, _POLL)))
                break
            except queue.Empty:
                if has_ended:  # and a child of its own still holds the pipe
                    return None
                if left <= 0:
                    raise TimeoutError from None
        if isinstance(answer, ScorerFailed):
            raise answer
        return answer

    def wait(self, deadline: float) -> int:
        """Return the exit status, negative for a signal; raise TimeoutError when the process does not end."""
        pause = _FIRST_PAUSE
        while (status := self._find_status()) is None:
            if (left := deadline - time.monotonic()) <= 0:
                raise TimeoutError
            time.sleep(min(pause, left))
            pause = min(2 * pause, _MAX_PAUSE)
        return status

    def _find_status(self) -> int | None:
        """Return the exit status, or None while the program runs.

        The system is not told yet that the program may be forgotten: its number is also that of its group, and could
        then be given to a stranger's process before the group is killed.
        """
        if not hasattr(os, "waitid"):
            return self._popen.poll()
        try:
            ended = os.waitid(os.P_PID, self._popen.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:  # the surrounding program has children forgotten at once
            return self._popen.poll()
        if ended is None:
            return None
        return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status

    def describe_exit(self, status: int) -> str:
        """Return `exit status 3` or the name of the signal, with the last line of stderr."""
        if status >= 0:
            return self.add_stderr(f"exit status {status}")
        has_name = status in {-s for s in signal.Signals}
        return self.add_stderr(f"killed by {signal.Signals(-status).name if has_name else f'signal {-status}'}")

    def add_stderr(self, message: str) -> str:
        """Return the message with the last line of stderr, if there is one, made safe to show."""
        self._threads[2].join(_GRACE)
        lines = [line for line in self._stderr.decode("utf-8", "replace").splitlines() if line.strip()]
        return f"{message}; last line of stderr: {make_visible(lines[-1].strip())[:_MAX_SHOWN]}" if lines else message

    def kill(self) -> None:
        """End the process and the processes it started, and close the pipes; nothing happens the second time."""
        self._to_send.put(None)
        if not self._is_killed:
            if hasattr(os, "killpg"):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._popen.pid, signal.SIGKILL)
            with contextlib.suppress(OSError):
                self._popen.kill()
            self._popen.wait()
            CLEANUP.remove(self._popen.pid)
            self._is_killed = True
        for thread in self._threads:
            thread.join(_GRACE)
