"""Hosts that are busy or down get fewer requests."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import suppress
from typing import Any

from steelyard.site.model import SCORED
from steelyard.support.http.messages import FetchError, Request, Response
from steelyard.support.http.pace import Pace
from steelyard.support.http.retrying import RetryingClient, RetryPolicy
from tests.site.crawl.crawling import Crawled
from tests.site.trap_site import Reply, TrapSite, html, redirect


class Crowd:
    """A page that counts how many ask for it at a time."""

    def __init__(self) -> None:
        self._lock, self._now, self.most = threading.Lock(), 0, 0

    def __call__(self, _handler: object) -> Reply:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        time.sleep(0.05)
        with self._lock:
            self._now -= 1
        return html()


class Turns:
    """Requests that count how many are under way at a time."""

    def __init__(self, pace: Pace, url: str = "http://a/") -> None:
        self._pace, self._url = pace, url
        self._now, self.most = 0, 0
        self.starts: list[float] = []

    async def take(self, seconds: float = 0.01) -> None:
        async with self._pace.turn(self._url):
            self.starts.append(time.monotonic())
            self._now += 1
            self.most = max(self.most, self._now)
            try:
                await asyncio.sleep(seconds)
            finally:
                self._now -= 1


async def count_most(pace: Pace) -> int:
    turns = Turns(pace)
    await asyncio.gather(*(turns.take() for _ in range(8)))
    return turns.most


def test_a_busy_host_gets_one_request_at_a_time_until_it_has_answered_for_a_while() -> None:
    async def ask() -> list[int]:
        pace = Pace(4)
        mosts = [await count_most(pace)]
        pace.slow_down("http://a/x")
        mosts.append(await count_most(pace))
        for _ in range(29):
            pace.speed_up("http://a/y")
        mosts.append(await count_most(pace))
        for _ in range(10):
            pace.speed_up("http://a/z")
        return [*mosts, await count_most(pace)]

    assert asyncio.run(ask()) == [4, 1, 3, 4]


def test_hosts_have_paces_of_their_own() -> None:
    async def ask() -> tuple[int, int]:
        pace = Pace(3)
        pace.slow_down("http://b/")
        busy, other = Turns(pace, "http://b/"), Turns(pace, "http://b:8000/")
        await asyncio.gather(*(turns.take() for turns in (busy, other) for _ in range(5)))
        return busy.most, other.most

    assert asyncio.run(ask()) == (1, 3)


def test_the_delay_is_between_starts_and_can_be_made_longer_while_requests_wait() -> None:
    async def ask() -> list[float]:
        pace = Pace(4, delay=0.05)
        turns = Turns(pace)
        waiting = [asyncio.create_task(turns.take(0.2)) for _ in range(4)]
        await asyncio.sleep(0.075)  # two have started, and the third waits
        pace.set_delay("http://a/", 0.15)
        await asyncio.gather(*waiting)
        return [later - earlier for earlier, later in zip(turns.starts, turns.starts[1:], strict=False)]

    first, second, third = asyncio.run(ask())
    assert first >= 0.05
    assert min(second, third) >= 0.145


def test_a_shorter_delay_than_the_users_is_not_kept() -> None:
    async def ask() -> float:
        pace = Pace(2, delay=0.1)
        pace.set_delay("http://a/", 0.01)
        turns = Turns(pace)
        await asyncio.gather(turns.take(), turns.take())
        return turns.starts[1] - turns.starts[0]

    assert asyncio.run(ask()) >= 0.1


def test_a_request_that_is_cancelled_gives_its_turn_away() -> None:
    """Under way, waiting for the delay, or waiting for room: nobody waits for it any longer."""

    async def ask(delay: float) -> int:
        pace = Pace(2, delay)
        turns = Turns(pace)
        tasks = [asyncio.create_task(turns.take(60)) for _ in range(5)]
        await asyncio.sleep(0.02)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        async with asyncio.timeout(5):
            await asyncio.gather(*(turns.take() for _ in range(4)))
        return turns.most

    assert [asyncio.run(ask(delay)) for delay in (0.0, 0.05)] == [2, 1]


def test_a_crawl_keeps_its_concurrency(site: TrapSite) -> None:
    crowd = Crowd()
    paths = [f"/{chr(97 + n)}" for n in range(20)]
    site.pages |= {"/": html(*paths), **dict.fromkeys(paths, crowd)}
    Crawled(f"{site.url}/", concurrency=3)
    assert crowd.most == 3


def test_every_page_of_a_busy_host_is_found(site: TrapSite) -> None:
    paths = [f"/{chr(97 + n)}" for n in range(8)]

    def reply(handler: object) -> Reply:
        path = handler.path  # type: ignore[attr-defined]
        return Reply(status=429, headers={"Retry-After": "0"}) if site.count_try(path) == 1 else html()

    site.pages |= {"/": html(*paths), **dict.fromkeys(paths, reply)}
    assert len(Crawled(f"{site.url}/", concurrency=6).paths(SCORED)) == 9


class _Failing:
    """A client for a host that does not answer, or is always busy."""

    def __init__(self, *, is_busy: bool) -> None:
        self.is_busy, self.sent = is_busy, 0

    async def send(self, request: Request, seconds: float | None = None) -> Response:
        self.sent += 1
        if request.url == "http://a/up":
            return Response(200, {})
        if self.is_busy:
            return Response(503, {})
        raise FetchError("connection refused", is_temporary=True)


def test_a_host_that_is_down_or_busy_gets_no_second_attempts_until_it_answers(retry_waits: list[float]) -> None:
    for is_busy in (False, True):
        failing = _Failing(is_busy=is_busy)
        client = RetryingClient(failing, RetryPolicy(retries=2), Pace())

        async def ask(name: str, failing: _Failing = failing, client: RetryingClient = client) -> int:
            before = failing.sent
            with suppress(FetchError):
                await client.send(Request(f"http://a/{name}", 10))
            return failing.sent - before

        async def ask_all(ask: Any = ask) -> list[int]:
            return [await ask(name) for name in [*"abcdefghijkl", "up", "m"]]

        assert asyncio.run(ask_all()) == [3] * 8 + [1] * 4 + [1, 3], is_busy
        pairs = zip(retry_waits[::2], retry_waits[1::2], strict=True)
        assert all(0.5 <= first <= 1.0 <= second <= 2.0 for first, second in pairs)


def test_an_address_has_its_retries_once_wherever_it_leads(site: TrapSite) -> None:
    busy = Reply(status=503, headers={"Retry-After": "0"})

    def reply(handler: object) -> Reply:
        path = handler.path  # type: ignore[attr-defined]
        return redirect(f"{path}x") if site.count_try(path) == 2 else busy

    site.pages |= {"/" + "x" * n: reply for n in range(1, 10)}
    visit = Crawled(f"{site.url}/x", retries=2, use_sitemaps=False).visits["/x"]
    assert visit.reason.endswith("/xxx: answered with status 503 (Service Unavailable)")
    assert [one.path for one in site.log] == ["/robots.txt", "/x", "/x", "/xx", "/xx", "/xxx", "/llms.txt"]
