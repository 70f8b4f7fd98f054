"""Calling a function ahead of its results' use, on a second thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

AHEAD = 2  # calls under way at once

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_ahead(function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Yield the function's results in the order of the items, with at most two calls under way at once."""
    running: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(AHEAD) as pool:
        for item in items:
            running.append(pool.submit(function, item))
            if len(running) == AHEAD:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()
