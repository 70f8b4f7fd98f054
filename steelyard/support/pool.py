"""Ordered maps that work in parallel: over processes, of which one that dies costs its task alone, and over threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from steelyard.support.children import ChildDied, Children

Task = TypeVar("Task")
Result = TypeVar("Result")

WINDOW = 64  # finished results held back per worker until the oldest task is done: bounds memory
AHEAD = 2  # calls under way at once, where one thread prepares what another uses


@dataclass(frozen=True, slots=True)
class LostTask(Generic[Task]):
    """What stands in place of a result when the worker died on its task."""

    task: Task
    reason: str


def ordered_map(
    work: Callable[[Task], Result], tasks: Iterable[Task], jobs: int, *, window: int = WINDOW
) -> Iterator[Result | LostTask[Task]]:
    """Yield `work(task)` for every task, in the order of the tasks, computed by `jobs` processes (1: in this one)."""
    if jobs <= 1:
        yield from map(work, tasks)
        return
    source = iter(tasks)
    children = Children()
    futures: deque[Future[Result | LostTask[Task]]] = deque()  # in the order of the tasks
    running: set[Future[Result | LostTask[Task]]] = set()
    with ThreadPoolExecutor(jobs) as threads:
        try:
            while True:
                finished = len(futures) - len(running)
                free = jobs - len(running) if finished < window * jobs else 0
                for task in islice(source, free):
                    futures.append(threads.submit(_ask, children, work, task))
                    running.add(futures[-1])
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()  # an error that is not about one task ends the run at once
                while futures and futures[0].done():
                    yield futures.popleft().result()
        finally:
            children.close()  # also those in the middle of a task


def _ask(children: Children, work: Callable[[Task], Result], task: Task) -> Result | LostTask[Task]:
    try:
        result: Result = children.ask(work, task)
    except (ChildDied, TimeoutError) as error:
        return LostTask(task, str(error) or "it could not be started")
    return result


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
