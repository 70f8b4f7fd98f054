"""A limit on how often one client may ask: a bucket of tokens for each, refilled steadily."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from time import monotonic

from steelyard.support.server_connection import name_client
from steelyard.web.refusals import Refused

MOST_CLIENTS = 10_000  # that are remembered; the one that asked longest ago is forgotten first
BURST_SECONDS = 3  # a client that was silent may send the requests of so many seconds at once


class RateLimit:
    """Counts the requests of each client."""

    def __init__(self, rate: float, clock: Callable[[], float] = monotonic) -> None:
        self._rate = rate
        self._most = max(1.0, rate * BURST_SECONDS)
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # tokens, and when they were counted

    def take(self, client: str) -> None:
        """Count a request.

        Raises:
            Refused: The client has none left; the answer says when to try again.
        """
        if self._rate <= 0:
            return
        now, key = self._clock(), name_client(client)
        tokens, before = self._buckets.pop(key, (self._most, now))
        tokens = min(self._most, tokens + (now - before) * self._rate)
        allowed = tokens >= 1
        self._buckets[key] = (tokens - 1 if allowed else tokens, now)
        if len(self._buckets) > MOST_CLIENTS:
            self._buckets.popitem(last=False)
        if not allowed:
            seconds = max(1, math.ceil((1 - tokens) / self._rate))
            # Closed: of requests that were sent without waiting for answers, one is answered.
            headers = {"Retry-After": str(seconds), "Connection": "close"}
            raise Refused(429, f"too many requests; try again in {seconds} s", headers)
