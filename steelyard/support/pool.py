"""An ordered parallel map over processes; a worker that dies costs its task, not the run."""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Generic, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

WINDOW = 64  # tasks ahead of the oldest unfinished one, per worker: bounds memory


@dataclass(frozen=True, slots=True)
class Lost(Generic[Task]):
    """In place of a result: the worker died on this task."""

    task: Task | None
    reason: str


def _serve(work: Callable[[Task], Result], pipe: Connection) -> None:
    """A worker's life: take a task, answer it, until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    while True:
        try:
            task = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            pipe.send(work(task))
        except OSError:  # the parent has gone
            return


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


class _Worker(Generic[Task]):
    def __init__(self, context: multiprocessing.context.SpawnContext, work: Callable[[Task], object]) -> None:
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(work, theirs), daemon=True)
        # A child inherits what is ignored: Ctrl-C must not reach it while it is still importing.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN) if _in_main_thread() else None
        try:
            self.process.start()
        finally:
            if before is not None:
                signal.signal(signal.SIGINT, before)
        theirs.close()
        self.number = -1
        self.task: Task | None = None

    def give(self, number: int, task: Task) -> None:
        self.number, self.task = number, task
        self.pipe.send(task)

    def stop(self, patience: float = 1.0) -> None:
        self.pipe.close()
        self.process.join(timeout=patience)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def ordered_map(work: Callable[[Task], Result], tasks: Iterable[Task], jobs: int) -> Iterator[Result | Lost[Task]]:
    """`work(task)` for every task, in the order of the tasks, on `jobs` processes (1 = here)."""
    if jobs <= 1:
        yield from map(work, tasks)
        return
    context = multiprocessing.get_context("spawn")
    workers: list[_Worker[Task]] = []
    source = enumerate(tasks)
    done: dict[int, Result | Lost[Task]] = {}
    following = 0
    exhausted = False
    try:
        while True:
            idle = [w for w in workers if w.task is None]
            while not exhausted and (idle or len(workers) < jobs) and len(done) < WINDOW * jobs:
                item = next(source, None)
                if item is None:
                    exhausted = True
                    break
                _hand_out(item, idle, workers, lambda: _Worker(context, work))
            busy = [w for w in workers if w.task is not None]
            if not busy and exhausted:
                return
            for number, result in _collect(busy, workers):
                done[number] = result
            while following in done:
                yield done.pop(following)
                following += 1
    finally:
        for worker in workers:
            worker.pipe.close()
        for worker in workers:
            worker.stop(0.2 if worker.task is not None else 1.0)


def _hand_out(
    item: tuple[int, Task], idle: list[_Worker[Task]], workers: list[_Worker[Task]], hire: Callable[[], _Worker[Task]]
) -> None:
    """Give a task to an idle worker, or to a new one; a worker that died while it waited is buried on the way."""
    while True:
        if not idle:
            workers.append(hire())
            idle.append(workers[-1])
        worker = idle.pop()
        try:
            worker.give(*item)
        except OSError:
            workers.remove(worker)
            worker.stop()
        else:
            return


def _collect(busy: list[_Worker[Task]], workers: list[_Worker[Task]]) -> Iterator[tuple[int, Result | Lost[Task]]]:
    """The answers that are ready; a worker whose pipe broke is buried with its task."""
    by_pipe = {w.pipe: w for w in busy}
    for ready in wait(list(by_pipe)):
        worker = by_pipe[ready]  # type: ignore[index]
        try:
            yield worker.number, worker.pipe.recv()
            worker.task = None
        except (EOFError, OSError):
            worker.process.join(timeout=1)
            workers.remove(worker)
            worker.stop()
            yield worker.number, Lost(worker.task, f"exit code {worker.process.exitcode}")
