"""An ordered parallel map over processes; a worker that dies costs its task, not the run."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

WINDOW = 64  # finished results held back per worker until the oldest task is done: bounds memory
_IDLE_GRACE, _BUSY_GRACE = 1.0, 0.2  # seconds for a worker to end by itself; a busy one does not notice in time


@dataclass(frozen=True, slots=True)
class LostTask(Generic[Task]):
    """What stands in place of a result when the worker died on its task."""

    task: Task | None
    reason: str


def _run_worker(work: Callable[[Task], Result], pipe: Connection) -> None:
    """Answer one task after the other until the pipe closes."""
    bind_to_parent()
    while True:
        try:
            task = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            pipe.send(work(task))
        except OSError:  # the parent is gone
            return


def bind_to_parent() -> None:
    """Leave Ctrl-C in this worker to its parent, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # see _hold_interrupts
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process when the parent has ended, also in the middle of a task that nobody waits for any more."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


@contextmanager
def _hold_interrupts() -> Iterator[None]:
    """Keep Ctrl-C from a child that is started here and still imports, which inherits what is blocked.

    Blocked, not ignored: a Ctrl-C in this moment reaches this process afterwards.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # which would unblock it
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Worker(Generic[Task]):
    def __init__(self, work: Callable[[Task], object]) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, child_pipe = context.Pipe()
        self.process = context.Process(target=_run_worker, args=(work, child_pipe), daemon=True)
        with _hold_interrupts():
            self.process.start()
        child_pipe.close()
        self.number = -1
        self.task: Task | None = None

    def send(self, number: int, task: Task) -> None:
        self.number, self.task = number, task
        self.pipe.send(task)

    def stop(self, timeout: float = _IDLE_GRACE) -> None:
        self.pipe.close()
        self.process.join(timeout=timeout)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def ordered_map(
    work: Callable[[Task], Result], tasks: Iterable[Task], jobs: int, *, window: int = WINDOW
) -> Iterator[Result | LostTask[Task]]:
    """Yield `work(task)` for every task, in the order of the tasks, computed by `jobs` processes (1: in this one)."""
    if jobs <= 1:
        yield from map(work, tasks)
        return
    workers: list[_Worker[Task]] = []
    source = enumerate(tasks)
    done: dict[int, Result | LostTask[Task]] = {}
    next_number = 0
    exhausted = False
    try:
        while True:
            while not exhausted and len(done) < window * jobs and len(_list_busy(workers)) < jobs:
                item = next(source, None)
                if item is None:
                    exhausted = True
                else:
                    _send_task(*item, workers, work)
            busy = {w.pipe: w for w in _list_busy(workers)}
            if not busy and exhausted:
                return
            for ready in wait(list(busy)):
                worker = busy[ready]  # type: ignore[index]
                done[worker.number] = _receive_result(worker, workers)
            while next_number in done:
                yield done.pop(next_number)
                next_number += 1
    finally:
        for worker in workers:
            worker.pipe.close()
        started = time.monotonic()  # they end at the same time, so the limits are common to all
        for worker in workers:
            limit = _BUSY_GRACE if worker.task is not None else _IDLE_GRACE
            worker.stop(max(0.0, started + limit - time.monotonic()))


def _list_busy(workers: list[_Worker[Task]]) -> list[_Worker[Task]]:
    return [w for w in workers if w.task is not None]


def _send_task(number: int, task: Task, workers: list[_Worker[Task]], work: Callable[[Task], object]) -> None:
    """Give a task to an idle worker, or to a new one; remove workers that died while idle."""
    while True:
        worker = next((w for w in workers if w.task is None), None)
        if worker is None:
            worker = _Worker(work)
            workers.append(worker)
        try:
            return worker.send(number, task)
        except OSError:
            workers.remove(worker)
            worker.stop()


def _receive_result(worker: _Worker[Task], workers: list[_Worker[Task]]) -> Any:
    """Return the worker's result; if its pipe broke, remove the worker and return its task as lost."""
    try:
        result = worker.pipe.recv()
        worker.task = None
        return result
    except (EOFError, OSError):
        worker.process.join(timeout=1)
        workers.remove(worker)
        worker.stop()
        return LostTask(worker.task, f"exit code {worker.process.exitcode}")
