"""Limits of requests: how often one client may ask, and how large and slow a request may be."""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict
from collections.abc import Callable
from time import monotonic

from starlette.types import Message, Receive

from steelyard.support.server_connection import name_client
from steelyard.web.responses import HTTPError

MAX_CLIENTS = 10_000  # that are remembered; the one that asked longest ago is forgotten first
BURST_SECONDS = 3  # a client that was silent may send the requests of so many seconds at once


class RateLimit:
    """Counts the requests of each client: a bucket of tokens for each, refilled steadily."""

    def __init__(self, rate: float, clock: Callable[[], float] = monotonic) -> None:
        self._rate = rate
        self._most = max(1.0, rate * BURST_SECONDS)
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # tokens, and when they were counted

    def take(self, client: str) -> None:
        """Count a request.

        Raises:
            HTTPError: The client has none left; the answer says when to try again.
        """
        if self._rate <= 0:
            return
        now, key = self._clock(), name_client(client)
        tokens, before = self._buckets.pop(key, (self._most, now))
        tokens = min(self._most, tokens + (now - before) * self._rate)
        allowed = tokens >= 1
        self._buckets[key] = (tokens - 1 if allowed else tokens, now)
        if len(self._buckets) > MAX_CLIENTS:
            self._buckets.popitem(last=False)
        if not allowed:
            seconds = max(1, math.ceil((1 - tokens) / self._rate))
            # Closed: of requests that were sent without waiting for answers, one is answered.
            headers = {"Retry-After": str(seconds), "Connection": "close"}
            raise HTTPError(429, f"too many requests; try again in {seconds} s", headers)


class BoundedBody:
    """Receives a request's body for the app, and refuses more than so many bytes or seconds of it."""

    def __init__(self, receive: Receive, declared: str | None, most: int, seconds: float) -> None:
        if declared is not None and declared.isdecimal() and int(declared[:20]) > most:
            raise _make_size_error(most)
        self._receive = receive
        self._left = self._most = most
        self._seconds = seconds
        self._deadline: float | None = None
        self._is_complete = False

    async def __call__(self) -> Message:
        """Return the next message.

        Raises:
            HTTPError: The body is too large, or takes too long.
        """
        if self._is_complete:
            return await self._receive()  # that the client went away
        now = asyncio.get_running_loop().time()
        self._deadline = self._deadline or now + self._seconds
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            raise HTTPError(408, f"the request did not arrive within {self._seconds:g} s; send it again") from None
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            self._is_complete = not message.get("more_body", False)
            if self._left < 0:
                raise _make_size_error(self._most)
        return message


def _make_size_error(most: int) -> HTTPError:
    return HTTPError(
        413, f"the request is over the limit of {most:,} bytes; send a shorter text", {"Connection": "close"}
    )
