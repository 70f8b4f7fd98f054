"""Ask again after a failure that may pass, ever more slowly, and follow redirects as the caller allows."""

from __future__ import annotations

import random
import time
from asyncio import sleep
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC
from email.utils import parsedate_to_datetime
from itertools import count
from typing import Protocol

from steelyard.support.http.messages import NO_NAME, TIMED_OUT, TOO_MANY_REQUESTS, FetchError, Request, Response
from steelyard.support.http.pace import Pace

BUSY = frozenset({TOO_MANY_REQUESTS, 502, 503, 504})  # statuses that may pass
# Requests that were given up, one after the other, after which each gets a single attempt: the host is down, or busy
# for longer than anybody waits.
_GIVES_UP_AFTER = 8
_MAX_HEADER = 100  # characters of a Retry-After

# Takes a request and its response. Returns the request that follows, None where the response is the last one, or
# raises FetchError.
Follow = Callable[[Request, Response], Awaitable[Request | None]]


class Sender(Protocol):
    """Sends a request once."""

    async def send(self, request: Request, seconds: float | None = None) -> Response:
        """Return the response; raise FetchError."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Which failures are tried again, how often, and after how many seconds.

    The waits double from `first_wait` to `max_wait`, each shortened by up to half. A server that names a longer one is
    heard, up to `max_wait`.
    """

    retries: int
    statuses: frozenset[int] = BUSY
    first_wait: float = 1.0
    max_wait: float = 60.0

    def choose_wait(self, attempt: int, rng: random.Random, outcome: Response | FetchError) -> float:
        """Return the seconds to wait after an attempt, the first of which is 1."""
        backoff = min(self.max_wait, self.first_wait * 2.0 ** (attempt - 1)) * rng.uniform(0.5, 1.0)
        asked = read_retry_after(outcome.headers.get("retry-after", "")) if isinstance(outcome, Response) else 0.0
        return min(self.max_wait, max(backoff, asked))


@dataclass(slots=True)
class _Allowance:
    """What one call may still use, in all the places to which it leads."""

    retries: int
    deadline: float | None

    def count_seconds(self) -> float | None:
        if self.deadline is None:
            return None
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise FetchError("timed out", TIMED_OUT)
        return left

    def allows_wait(self, seconds: float) -> bool:
        return self.retries > 0 and (self.deadline is None or time.monotonic() + seconds < self.deadline)


class RetryingClient:
    """Sends requests at the pace of their hosts, and sends them again where that may help.

    Args:
        client: Sends them once.
        policy: When to send them again.
        pace: The pace of each host.
    """

    def __init__(self, client: Sender, policy: RetryPolicy, pace: Pace) -> None:
        self._client, self._policy, self._pace = client, policy, pace
        self._given_up = 0

    async def send(
        self,
        request: Request,
        *,
        follow: Follow | None = None,
        seconds: float | None = None,
        rng: random.Random | None = None,
        retry_names: bool = True,
    ) -> Response:
        """Return the last response, of any status.

        Args:
            request: The request.
            follow: Which redirects are followed; none if None.
            seconds: A deadline for all attempts, redirects and waits. No wait goes beyond it.
            rng: Draws the waits; by default they are the same in every run, and others for every address.
            retry_names: Ask again when the name of the host is not known.

        Raises:
            FetchError: There is no response.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        allowance = _Allowance(self._policy.retries, deadline)
        following: Request | None = request
        while following is not None:
            request = following
            response = await self._send(request, allowance, rng or random.Random(request.url), retry_names)
            following = await follow(request, response) if follow is not None else None
        return response

    async def _send(self, request: Request, allowance: _Allowance, rng: random.Random, retry_names: bool) -> Response:
        is_down = self._given_up >= _GIVES_UP_AFTER
        for attempt in count(1):
            outcome = await self._try(request, allowance)
            if isinstance(outcome, Response):
                outcome = replace(outcome, attempts=attempt)
                if outcome.status not in self._policy.statuses:
                    self._given_up = 0
                    self._pace.speed_up(request.url)
                    return outcome
                if outcome.status == TOO_MANY_REQUESTS:
                    self._pace.slow_down(request.url)
            wait = self._policy.choose_wait(attempt, rng, outcome)
            is_unknown = isinstance(outcome, FetchError) and outcome.kind == NO_NAME and not retry_names
            if is_down or is_unknown or not allowance.allows_wait(wait):
                self._given_up += 1
                if isinstance(outcome, FetchError):
                    raise outcome
                return outcome
            allowance.retries -= 1
            await sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    async def _try(self, request: Request, allowance: _Allowance) -> Response | FetchError:
        """Return the response, or the failure that may pass."""
        try:
            async with self._pace.turn(request.url):
                return await self._client.send(request, allowance.count_seconds())
        except FetchError as error:
            if not error.is_temporary:
                raise
            return error


def read_retry_after(value: str) -> float:
    """Return the seconds that a Retry-After header asks for, a number or a date; 0 if it cannot be read."""
    value = value[:_MAX_HEADER].strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        then = parsedate_to_datetime(value)
        then = then if then.tzinfo else then.replace(tzinfo=UTC)
        return max(0.0, then.timestamp() - time.time())
    except (ValueError, TypeError, OverflowError, OSError, IndexError):
        return 0.0
