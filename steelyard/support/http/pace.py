"""Limit how fast each host is asked: seconds between two requests, and requests at a time."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

_ANSWERS_TO_SPEED_UP = 10


class _Host:
    """The requests to one host."""

    def __init__(self, concurrency: int, delay: float) -> None:
        self.concurrency, self.delay = concurrency, delay
        self.answers = 0  # since the last change of `concurrency`
        self.under_way = 0
        self.has_room = asyncio.Event()
        self.starting = asyncio.Lock()
        self.last_start = -math.inf


class Pace:
    """Keeps the pace of each host.

    Args:
        concurrency: Requests to one host at a time.
        delay: Seconds between the starts of two requests to one host.
    """

    def __init__(self, concurrency: int = 1, delay: float = 0.0) -> None:
        self._concurrency, self._delay = concurrency, delay
        self._hosts: dict[str, _Host] = {}

    @asynccontextmanager
    async def turn(self, url: str) -> AsyncIterator[None]:
        """Wait until a request may be sent; it ends with the block. One that is cancelled gives its turn away."""
        host = self._find(url)
        while host.under_way >= host.concurrency:
            await host.has_room.wait()
        host.under_way += 1
        try:
            async with host.starting:
                clock = asyncio.get_running_loop().time
                while (wait := host.last_start + host.delay - clock()) > 0:
                    await asyncio.sleep(wait)
                host.last_start = clock()
            yield
        finally:
            host.under_way -= 1
            host.has_room.set()  # all that wait now look again
            host.has_room.clear()

    def set_delay(self, url: str, seconds: float) -> None:
        """Keep at least so many seconds between two requests to the host of an address."""
        self._find(url).delay = max(self._delay, seconds)

    def slow_down(self, url: str) -> None:
        """Send one request at a time: the host says that it gets too many."""
        host = self._find(url)
        host.concurrency, host.answers = 1, 0

    def speed_up(self, url: str) -> None:
        """Send more at a time again, step by step: the host has answered."""
        host = self._find(url)
        host.answers += 1
        if host.concurrency < self._concurrency and host.answers >= _ANSWERS_TO_SPEED_UP:
            host.concurrency, host.answers = host.concurrency + 1, 0

    def _find(self, url: str) -> _Host:
        return self._hosts.setdefault(urlsplit(url).netloc, _Host(self._concurrency, self._delay))
