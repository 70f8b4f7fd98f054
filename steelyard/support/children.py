"""Python processes of our own. Nothing in the working directory or the environment decides what they import.

A plain `python -c` or `python -m` looks for modules in the working directory first, and that may be a repository
whose author wants code of theirs to run. Every Python that this package starts is therefore started from here.
"""

from __future__ import annotations

import json
import os
import pickle
import queue
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any

MAX_START_SECONDS = 60.0  # in which a process is ready, on a machine that is busy with other things
_GRACE_SECONDS = 1.0  # for an idle process to end by itself
_PIPE_SIZE = 1 << 20  # bytes; the largest that the system allows without privileges
_LENGTH = struct.Struct(">Q")


class ChildDied(Exception):
    """The process ended in the middle of its work."""

    def __init__(self, code: int) -> None:
        self.code = code
        super().__init__(f"exit code {code}")


def isolated_python(statement: str, *arguments: str) -> list[str]:
    """Return the command of an isolated Python that sees the packages of this one, and runs a statement.

    Args:
        statement: What to run; it must not contain anything that came from outside.
        arguments: Its `sys.argv[1:]`.
    """
    options = ["-I", *(["-B"] if sys.dont_write_bytecode else []), *(["-Xutf8"] if sys.flags.utf8_mode else [])]
    start = f"import json, sys; sys.path[:] = json.loads(sys.argv.pop(1))\n{statement}"
    return [sys.executable, *options, "-c", start, json.dumps(list_module_paths()), *arguments]


def list_module_paths() -> list[str]:
    """Return where a process of ours looks for modules: where this one does, without what depends on the directory."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return list(dict.fromkeys([*filter(os.path.isabs, sys.path), package]))


def enlarge_pipes(child: subprocess.Popen[bytes]) -> None:
    """Let a whole page fit into a pipe where the system can: each pause to empty it costs two processes their turn."""
    if sys.platform == "linux":
        import fcntl

        for pipe in (child.stdin, child.stdout):
            with suppress(OSError):  # the user has too many large pipes already
                fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_SIZE)  # type: ignore[arg-type]


class Child:
    """A process that does work for this one, a piece at a time. It ends with this process, also in mid-work.

    It has a process group of its own, so that Ctrl-C in a terminal is left to this process. Use it from one thread at a
    time; only `kill` may be called from another.
    """

    def __init__(self) -> None:
        self._popen = subprocess.Popen(
            isolated_python("from steelyard.support.children import serve; serve()"),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0 if os.name == "posix" else None,
        )  # fmt: skip
        enlarge_pipes(self._popen)
        self._is_ready = False

    @property
    def is_alive(self) -> bool:
        return self._popen.poll() is None

    def ask(self, work: Callable[..., Any], *arguments: Any, seconds: float | None = None) -> Any:
        """Return what some work returns. The function must be importable; what it is given is pickled.

        Args:
            seconds: After which the process is killed; its start is not counted.

        Raises:
            ChildDied: The process ended, for example because the work raised an exception; it prints that itself.
            TimeoutError: It took too long.
        """
        task = pickle.dumps((work, arguments), pickle.HIGHEST_PROTOCOL)
        if not self._is_ready:
            self._exchange(None, MAX_START_SECONDS)
            self._is_ready = True
        return pickle.loads(self._exchange(task, seconds))  # noqa: S301 - from a process of ours

    def _exchange(self, task: bytes | None, seconds: float | None) -> bytes:
        """Send some bytes, unless there are none, and return the answer."""
        late = threading.Event()

        def stop_waiting() -> None:
            late.set()
            self._popen.kill()

        timer = threading.Timer(seconds, stop_waiting) if seconds is not None else None
        if timer is not None:
            timer.daemon = True
            timer.start()
        answer = None
        try:
            with suppress(OSError):
                if task is not None:
                    _write(self._popen.stdin, task)
                answer = _read(self._popen.stdout)
        finally:
            if timer is not None:
                timer.cancel()
            if answer is None:  # also after Ctrl-C: an answer that comes later would be taken for the next one
                code = self.stop()
        if answer is None:
            if late.is_set():
                raise TimeoutError
            raise ChildDied(code)
        return answer

    def stop(self) -> int:
        """End the process, and return its exit code; it has a second to do so by itself."""
        for pipe in (self._popen.stdin, self._popen.stdout):
            with suppress(OSError):  # what was not sent yet has nowhere to go
                pipe.close()  # type: ignore[union-attr]
        try:
            return self._popen.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            return self._popen.wait()

    def kill(self) -> None:
        """End the process at once; whoever waits for it gets an error."""
        self._popen.kill()


class Children:
    """As many processes as threads ask for at a time, each started when it is first needed."""

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds = seconds
        self._idle: queue.LifoQueue[Child] = queue.LifoQueue()
        self._all: set[Child] = set()
        self._starting = threading.Lock()
        self._is_closed = False

    def ask(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Return what some work returns, done by a process that has nothing else to do.

        Raises:
            ChildDied: The process ended, or all of them have been ended.
            TimeoutError: The work took longer than it may, and its process was killed.
        """
        child = self._take()
        try:
            answer = child.ask(work, *arguments, seconds=self._seconds)
        except BaseException:
            self._all.discard(child)
            child.kill()
            raise
        self._idle.put(child)
        return answer

    def close(self) -> None:
        """End all processes, also those at work; no more are started."""
        with self._starting:
            self._is_closed = True
        for child in list(self._all):
            child.kill()
            child.stop()
        self._all.clear()

    def _take(self) -> Child:
        while True:
            try:
                child = self._idle.get_nowait()
            except queue.Empty:
                with self._starting:
                    if self._is_closed:
                        raise ChildDied(-9) from None
                    child = Child()
                    self._all.add(child)
                return child
            if child.is_alive:
                return child
            self._all.discard(child)
            child.stop()


def serve() -> None:
    """Do in this process what its parent asks for, until the parent closes the pipe or is gone."""
    tasks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)  # what a library prints must not be taken for an answer
    threading.Thread(target=_read_tasks, args=(requests, tasks), daemon=True).start()
    _write(answers, b"")
    while True:
        work, arguments = pickle.loads(tasks.get())  # noqa: S301 - from our parent
        answer = pickle.dumps(work(*arguments), pickle.HIGHEST_PROTOCOL)
        try:
            _write(answers, answer)
        except OSError:  # the parent is gone
            return


def _read_tasks(pipe: IO[bytes], tasks: queue.SimpleQueue[bytes]) -> None:
    """Read ahead of the work, so that the parent's end is noticed in the middle of it."""
    while (task := _read(pipe)) is not None:
        tasks.put(task)
    os._exit(0)


def _write(pipe: IO[bytes] | None, message: bytes) -> None:
    assert pipe is not None  # noqa: S101 - for mypy
    pipe.write(_LENGTH.pack(len(message)))
    pipe.write(message)
    pipe.flush()


def _read(pipe: IO[bytes] | None) -> bytes | None:
    """Return a message, or None when the other side is gone."""
    assert pipe is not None  # noqa: S101 - for mypy
    length = pipe.read(_LENGTH.size)
    if len(length) < _LENGTH.size:
        return None
    (size,) = _LENGTH.unpack(length)
    message = pipe.read(size)
    return message if len(message) == size else None
