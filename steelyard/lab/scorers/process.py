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
from enum import Enum
from pathlib import Path
from typing import IO

from steelyard.support.escape import visible

MOST_OUTPUT = 64 * 1024  # bytes of a line, or of the whole output
LAST_WORDS = 4096  # bytes of stderr kept
LONGEST_SHOWN = 200  # characters of them shown
_PIECE = 16 * 1024
_LOOK = 0.1  # seconds between looks at a process that says nothing
_GRACE = 0.3  # seconds for the last bytes after its end
_MOST_WAITING = 64  # unread lines: a scorer answers one line to each request


class Output(Enum):
    """What comes from a process besides lines."""

    ENDED = "ended"
    FLOODED = "flooded"


class OutOfPatience(Exception):
    """The process said nothing until the deadline."""


class Process:
    """A program in a session of its own, with a thread for each of its pipes.

    Threads, because only they wait on pipes on every system; they end with the process.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        by_line: bool,
    ) -> None:
        self._popen = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=folder,
            env=environment,
            start_new_session=True,  # its children die with it, and a Ctrl-C is ours to answer
        )
        self.output = bytearray()  # what is not yet a line
        self._by_line = by_line
        self._said: queue.Queue[bytes | Output] = queue.Queue()
        self._sent: queue.Queue[bytes | None] = queue.Queue()
        self._last = b""
        stdin, stdout, stderr = self._popen.stdin, self._popen.stdout, self._popen.stderr
        assert stdin is not None and stdout is not None and stderr is not None  # noqa: S101, PT018 - for mypy
        self._threads = [
            threading.Thread(target=work, args=(pipe,), daemon=True)
            for work, pipe in ((self._write, stdin), (self._read, stdout), (self._drain, stderr))
        ]
        for thread in self._threads:
            thread.start()

    # The three threads

    def _write(self, pipe: IO[bytes]) -> None:
        with contextlib.suppress(OSError), pipe:  # it may end, or close its stdin, before it has read everything
            while (data := self._sent.get()) is not None:
                rest = memoryview(data)
                while rest:
                    rest = rest[pipe.write(rest) :]

    def _read(self, pipe: IO[bytes]) -> None:
        with contextlib.suppress(OSError), pipe:
            while piece := pipe.read(_PIECE):
                self.output += piece
                while self._by_line and (end := self.output.find(b"\n")) >= 0:
                    self._said.put(bytes(self.output[:end]))
                    del self.output[: end + 1]
                if len(self.output) > MOST_OUTPUT or self._said.qsize() > _MOST_WAITING:
                    self._said.put(Output.FLOODED)
                    return
        self._said.put(Output.ENDED)

    def _drain(self, pipe: IO[bytes]) -> None:
        with contextlib.suppress(OSError), pipe:
            while piece := pipe.read(_PIECE):
                self._last = (self._last + piece)[-LAST_WORDS:]

    # The conversation

    def send(self, data: bytes) -> None:
        self._sent.put(data)

    def end_input(self) -> None:
        self._sent.put(None)

    def receive(self, deadline: float) -> bytes | Output:
        """The next line, or the end; OutOfPatience at the deadline (of the monotonic clock)."""
        while True:
            left = deadline - time.monotonic()
            try:
                return self._said.get(timeout=max(0.0, min(left, _LOOK)))
            except queue.Empty:
                if self._popen.poll() is not None:
                    break
                if left <= 0:
                    raise OutOfPatience from None
        try:
            return self._said.get(timeout=_GRACE)
        except queue.Empty:  # it has ended, and a child of its own still holds the pipe
            return Output.ENDED

    def status(self, deadline: float) -> int:
        """Its exit status, negative for a signal; OutOfPatience when it does not end."""
        try:
            return self._popen.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise OutOfPatience from None

    def last_words(self) -> str:
        """The last line of its stderr, made safe to show; empty when it said nothing."""
        self._threads[2].join(_GRACE)
        lines = [line for line in self._last.decode("utf-8", "replace").splitlines() if line.strip()]
        return visible(lines[-1].strip())[:LONGEST_SHOWN] if lines else ""

    def kill(self) -> None:
        """End it and the processes it started, and let go of the pipes."""
        self._sent.put(None)
        if self._popen.poll() is None or self._threads[1].is_alive() or self._threads[2].is_alive():
            self._kill_group()
        self._popen.wait()
        for thread in self._threads:
            thread.join(_GRACE)

    def _kill_group(self) -> None:
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._popen.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            self._popen.kill()


def how_it_ended(status: int, last_words: str) -> str:
    """`exit status 3`, or the signal's name, and its last words."""
    if status >= 0:
        text = f"exit status {status}"
    else:
        with contextlib.suppress(ValueError):
            return _with(f"killed by {signal.Signals(-status).name}", last_words)
        text = f"killed by signal {-status}"
    return _with(text, last_words)


def _with(text: str, last_words: str) -> str:
    return f"{text}; its last words: {last_words}" if last_words else text
