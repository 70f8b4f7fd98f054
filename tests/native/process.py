"""A process for the native core: each thread keeps what its searches need, and never gives it back."""

from __future__ import annotations

import os
import random
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from steelyard.pipeline import Measured, Page, measure_pages
from steelyard.settings import Settings

MAX_TASKS = 12  # of a process


def describe(found: Measured | Exception) -> str:
    """Everything a result holds, as text: 85 and 85.0 differ here, and so do two equal errors of different kinds."""
    return repr((found.score, found.manipulation)) if isinstance(found, Measured) else repr(found)


def measure_natively(pages: list[Page], chosen: Settings, *, evidence: bool) -> list[str]:
    """Describe what the native core finds, which has the pages in another order and in batches of any size."""
    os.environ["STEELYARD_CORE"] = "native"
    source = random.Random(len(pages))
    order = source.sample(range(len(pages)), len(pages))
    found = [""] * len(pages)
    while order:
        batch = [order.pop() for _ in range(min(len(order), source.choice((1, 2, 7, 40, 300))))]
        measured = measure_pages([pages[at] for at in batch], chosen, evidence=evidence, threads=1)
        for at, page in zip(batch, measured, strict=True):
            found[at] = describe(page)
    return found


class NativeProcess:
    """The process; after some tasks another takes its place."""

    def __init__(self) -> None:
        self._tasks = 0
        self._pool: ProcessPoolExecutor | None = None

    def measure(self, pages: list[Page], chosen: Settings, *, evidence: bool) -> list[str]:
        """Describe what the native core finds on pages, in their order."""
        if self._pool is None or self._tasks == MAX_TASKS:
            self.close()
            self._pool, self._tasks = ProcessPoolExecutor(1, get_context("spawn")), 0
        self._tasks += 1
        return self._pool.submit(measure_natively, pages, chosen, evidence=evidence).result()

    def close(self) -> None:
        """End the process."""
        if self._pool is not None:
            self._pool.shutdown()
