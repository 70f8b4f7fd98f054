"""A child process whose pipes can neither block us nor fill our memory."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from steelyard.lab.scorers.base import NOT_A_NUMBER, ScorerFailed
from steelyard.support.escape import make_visible

MOST_OUTPUT = 64 * 1024  # bytes of one line, or of the whole output
_MOST_STDERR = 4096  # bytes kept
_MOST_SHOWN = 200  # characters of stderr in a message
_CHUNK = 16 * 1024
_POLL = 0.1  # seconds between two checks whether a silent process still runs
_GRACE = 0.3  # seconds to wait for the last bytes of a process that has ended
_MOST_UNREAD = 64  # lines; a scorer answers each request with one


class Process:
    """A program in its own process group, with a thread for each of its pipes.

    Only threads can wait on pipes on every system. They end with the process.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        by_line: bool,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        pipe = subprocess.PIPE
        # In a session of its own: its children can be killed with it, and Ctrl-C reaches only us.
        self._popen = subprocess.Popen(
            argv, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder, env=environment, start_new_session=True
        )
        self.output = bytearray()  # without the lines that `receive` returns
        self._by_line = by_line
        self._received: queue.Queue[bytes | ScorerFailed | None] = queue.Queue()
        self._to_send: queue.Queue[bytes | None] = queue.Queue()
        self._stderr = b""
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
                if len(self.output) > MOST_OUTPUT or self._received.qsize() > _MOST_UNREAD:
                    message = f"over {MOST_OUTPUT:,} bytes of output instead of a number"
                    self._received.put(ScorerFailed(NOT_A_NUMBER, message))
                    return
        self._received.put(None)

    def _read_stderr(self, pipe: IO[bytes]) -> None:
        with contextlib.suppress(OSError), pipe:
            while chunk := pipe.read(_CHUNK):
                self._stderr = (self._stderr + chunk)[-_MOST_STDERR:]

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
            has_ended = self._popen.poll() is not None
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
        try:
            return self._popen.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise TimeoutError from None

    def describe_exit(self, status: int) -> str:
        """Return `exit status 3` or the name of the signal, with the last line of stderr."""
        if status >= 0:
            return self.add_stderr(f"exit status {status}")
        known = status in {-s for s in signal.Signals}
        return self.add_stderr(f"killed by {signal.Signals(-status).name if known else f'signal {-status}'}")

    def add_stderr(self, message: str) -> str:
        """Return the message with the last line of stderr, if there is one, made safe to show."""
        self._threads[2].join(_GRACE)
        lines = [line for line in self._stderr.decode("utf-8", "replace").splitlines() if line.strip()]
        return f"{message}; last line of stderr: {make_visible(lines[-1].strip())[:_MOST_SHOWN]}" if lines else message

    def kill(self) -> None:
        """End the process and the processes it started, and close the pipes."""
        self._to_send.put(None)
        if self._popen.poll() is None or self._threads[1].is_alive() or self._threads[2].is_alive():
            if hasattr(os, "killpg"):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._popen.pid, signal.SIGKILL)
            with contextlib.suppress(OSError):
                self._popen.kill()
        self._popen.wait()
        for thread in self._threads:
            thread.join(_GRACE)
