"""Threads that wait for slow things, so that the server goes on answering meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from steelyard.web.refusals import Refused, refuse_busy

Result = TypeVar("Result")


class Workers:
    """A fixed number of threads and a bounded number of tasks that wait for one.

    A thread cannot be stopped: a task whose request has ended keeps its thread until its work, which is bounded, ends.
    """

    def __init__(self, name: str, threads: int, waiting: int, seconds: float) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=f"steelyard-{name}")
        self._most = threads + waiting
        self._seconds = seconds
        self._tasks = 0

    async def run(self, work: Callable[[], Result]) -> Result:
        """Do some work in a thread.

        Raises:
            Refused: Too many tasks wait already, or the work takes too long.
        """
        if self._tasks >= self._most:
            raise refuse_busy()
        self._tasks += 1
        loop = asyncio.get_running_loop()
        job = self._pool.submit(work)
        job.add_done_callback(lambda ended: _call(loop, self._end, ended))
        try:
            async with asyncio.timeout(self._seconds):
                return await asyncio.shield(asyncio.wrap_future(job))
        except TimeoutError:
            raise Refused(
                503, f"this took over {self._seconds:g} s; send a shorter text", {"Retry-After": "30"}
            ) from None
        finally:
            job.cancel()  # if it still waits for a thread: nobody waits for its result any more

    @property
    def is_idle(self) -> bool:
        """Whether nothing is at work and nothing waits."""
        return self._tasks == 0

    def close(self) -> None:
        """Take no more tasks, and drop those that wait."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _end(self, job: Future[Result]) -> None:
        self._tasks -= 1
        if not job.cancelled():
            job.exception()  # of a task whose request has ended, nobody else asks for it


def _call(loop: asyncio.AbstractEventLoop, end: Callable[[Future[Result]], None], job: Future[Result]) -> None:
    """Call back on the loop, from whatever thread; at the end of the server there is none."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(end, job)
