"""Threads for slow things: what nobody waits for is not begun."""

from __future__ import annotations

import asyncio
import threading

import pytest

from steelyard.web.responses import HTTPError
from steelyard.web.workers import Workers


def test_work_that_nobody_waits_for_is_not_begun() -> None:
    begun: list[int] = []
    release = threading.Event()

    async def run() -> None:
        workers = Workers("test", 1, 10, 0.2)

        def work(number: int) -> None:
            begun.append(number)
            release.wait(30)

        jobs = [asyncio.create_task(workers.run(lambda n=n: work(n))) for n in range(4)]  # type: ignore[misc]
        results = await asyncio.gather(*jobs, return_exceptions=True)
        assert all(isinstance(result, HTTPError) for result in results)
        release.set()
        assert await workers.run(lambda: "later") == "later"
        # None of those that ended takes up room for the eleven there is room for.
        assert await asyncio.gather(*(workers.run(lambda: 1) for _ in range(11))) == [1] * 11
        workers.close()

    asyncio.run(run())
    assert begun == [0]


def test_too_many_tasks_are_refused_at_once() -> None:
    async def run() -> None:
        workers = Workers("test", 1, 0, 5)
        release = threading.Event()
        first = asyncio.create_task(workers.run(lambda: release.wait(30)))
        await asyncio.sleep(0.05)
        with pytest.raises(HTTPError):
            await workers.run(lambda: None)
        release.set()
        await first
        workers.close()

    asyncio.run(run())
