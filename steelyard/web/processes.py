"""Processes that score: Python's share of the work runs on all cores, and one that takes too long is killed."""

from __future__ import annotations

import multiprocessing
import queue
import signal
import traceback
from collections.abc import Callable
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Any

from steelyard.errors import MissingExtra, SteelyardError
from steelyard.web.refusals import Refused

STARTING = 60.0  # seconds in which a process is ready
_ANSWER, _REFUSED, _FAULT = "answer", "refused", "fault"


class WorkerFault(Exception):
    """A bug in a process that scores; the message says where, and nothing of the page."""


class Processes:
    """As many processes as threads ask for at a time, each started when it is first needed."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._idle: queue.LifoQueue[_Process] = queue.LifoQueue()
        self._all: set[_Process] = set()

    def call(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Do some work in a process, and wait for the answer.

        Raises:
            Refused: The work refused, took too long, or ended its process.
            WorkerFault: It has a bug.
        """
        process = self._take()
        try:
            kind, found = process.ask(work, arguments, self._seconds)
        except (TimeoutError, EOFError, OSError) as error:
            self._all.discard(process)
            process.stop()
            if isinstance(error, TimeoutError):
                late = f"this took over {self._seconds:g} s; send a shorter text"
                raise Refused(503, late, {"Retry-After": "30"}) from None
            raise Refused(422, "the process that scored this page died; send a shorter text") from None
        self._idle.put(process)
        if kind == _REFUSED:
            raise Refused(*found)
        if kind == _FAULT:
            raise WorkerFault(found)
        return found

    def close(self) -> None:
        """End all processes, also those at work."""
        for process in list(self._all):
            process.stop()
        self._all.clear()

    def _take(self) -> _Process:
        while True:
            try:
                process = self._idle.get_nowait()
            except queue.Empty:
                process = _Process()
                self._all.add(process)
                return process
            if process.is_alive:
                return process
            self._all.discard(process)
            process.stop()


class _Process:
    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, its_end = context.Pipe()
        self._process = context.Process(target=_serve, args=(its_end,), daemon=True)
        # Ctrl-C is for the server alone, also while the new process still imports: it inherits what is blocked.
        resource_tracker.ensure_running()  # which would unblock it
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        its_end.close()
        self._is_ready = False

    @property
    def is_alive(self) -> bool:
        return self._process.is_alive()

    def ask(self, work: Callable[..., Any], arguments: tuple[Any, ...], seconds: float) -> tuple[str, Any]:
        if not self._is_ready:  # what it takes to start is not the task's time
            if not self._pipe.poll(STARTING):
                raise TimeoutError
            self._is_ready = bool(self._pipe.recv())
        self._pipe.send((work, arguments))
        if not self._pipe.poll(seconds):
            raise TimeoutError
        answer: tuple[str, Any] = self._pipe.recv()
        return answer

    def stop(self) -> None:
        self._pipe.close()
        self._process.kill()
        self._process.join()


def _serve(pipe: Connection) -> None:
    """Answer one task after the other until the pipe closes, which it also does when the server is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    pipe.send(True)
    while True:
        try:
            work, arguments = pipe.recv()
            pipe.send(_answer(work, arguments))
        except (EOFError, OSError):
            return


def _answer(work: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[str, Any]:
    try:
        return _ANSWER, work(*arguments)
    except Refused as refused:
        return _REFUSED, (refused.status, refused.message)
    except MissingExtra as error:
        return _REFUSED, (501, str(error))
    except SteelyardError as error:
        return _REFUSED, (422, str(error))
    except Exception as error:  # noqa: BLE001 - a bug on one page must not end the process
        frame = traceback.extract_tb(error.__traceback__)[-1]
        return _FAULT, f"{type(error).__name__} at {frame.filename}:{frame.lineno}"
