"""Ordered maps that work in parallel: over processes, of which one that dies costs its task alone, and over threads."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from steelyard.support.children import Child, ChildDied

Task = TypeVar("Task")
Result = TypeVar("Result")

WINDOW = 64  # finished results held back per worker until the oldest task is done: bounds memory
AHEAD = 2  # calls under way at once, where one thread prepares what another uses


@dataclass(frozen=True, slots=True)
class LostTask(Generic[Task]):
    """What stands in place of a result when the worker died on its task."""

    task: Task | None
    reason: str


def ordered_map(
    work: Callable[[Task], Result], tasks: Iterable[Task], jobs: int, *, window: int = WINDOW
) -> Iterator[Result | LostTask[Task]]:
    """Yield `work(task)` for every task, in the order of the tasks, computed by `jobs` processes (1: in this one)."""
    if jobs <= 1:
        yield from map(work, tasks)
        return
    workers: list[_Worker[Task]] = []
    numbered: queue.SimpleQueue[tuple[int, Task] | None] = queue.SimpleQueue()
    results: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
    source = enumerate(tasks)
    done: dict[int, Any] = {}
    running = next_number = 0
    exhausted = False
    try:
        while True:
            while not exhausted and len(done) < window * jobs and running < jobs:
                item = next(source, None)
                if item is None:
                    exhausted = True
                    break
                if len(workers) < jobs:
                    workers.append(_Worker(work, numbered, results))
                numbered.put(item)
                running += 1
            if not running:
                return
            number, result = results.get()
            if isinstance(result, BaseException):
                raise result
            running -= 1
            done[number] = result
            while next_number in done:
                yield done.pop(next_number)
                next_number += 1
    finally:
        for _ in workers:
            numbered.put(None)
        for worker in workers:
            worker.stop()
        for worker in workers:
            worker.thread.join()


def map_ahead(function: Callable[[Task], Result], items: Iterable[Task]) -> Iterator[Result]:
    """Yield the function's results in the order of the items, with at most two calls under way at once."""
    running: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(AHEAD) as pool:
        for item in items:
            running.append(pool.submit(function, item))
            if len(running) == AHEAD:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()


class _Worker(Generic[Task]):
    """A thread and its process, which is replaced when it dies."""

    def __init__(
        self,
        work: Callable[[Task], object],
        tasks: queue.SimpleQueue[tuple[int, Task] | None],
        results: queue.SimpleQueue[tuple[int, Any]],
    ) -> None:
        self._work, self._tasks, self._results = work, tasks, results
        self._child: Child | None = None
        self._busy = threading.Lock()  # held while the process has a task
        self._is_stopped = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def stop(self) -> None:
        """Let the thread end; a process in the middle of a task is killed."""
        self._is_stopped = True
        child = self._child
        if child is not None and self._busy.locked():
            child.kill()

    def _run(self) -> None:
        try:
            while not self._is_stopped and (item := self._tasks.get()) is not None:
                number, task = item
                try:
                    self._results.put((number, self._do(task)))
                except BaseException as error:  # noqa: BLE001 - for the thread that waits
                    self._results.put((number, error))
        finally:
            if self._child is not None:
                self._child.stop()

    def _do(self, task: Task) -> Any:
        if self._child is not None and not self._child.is_alive:  # it died while it had nothing to do
            self._child.stop()
            self._child = None
        child = self._child = self._child or Child()
        with self._busy:
            if self._is_stopped:  # whoever stops looks for a task only once
                return None
            try:
                return child.ask(self._work, task)
            except (ChildDied, TimeoutError) as error:
                self._child = None
                return LostTask(task, str(error) or "it could not be started")
