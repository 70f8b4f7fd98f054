"""Hosts that are busy or down get fewer requests."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import suppress

import pytest

from steelyard.site.crawl.attempts import LONGEST_WAIT, Attempts, read_retry_after
from steelyard.site.crawl.exchange import Answer, ExchangeFailed, Wanted
from steelyard.site.crawl.scrapy_engine import run_with_scrapy
from steelyard.site.crawl.sender import Sender
from steelyard.site.model import SCORED
from tests.site.crawl.crawling import Crawled, list_options
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


def test_a_busy_host_gets_one_request_at_a_time_until_it_has_answered_for_a_while() -> None:
    with TrapSite(traps=False).serving() as site:
        mosts = []

        async def ask(sender: Sender) -> None:
            crowd = site.pages["/x"] = Crowd()
            wanted = Wanted(f"{site.url}/x", own_headers=False, most_bytes=10_000)
            await asyncio.gather(*(sender.send(wanted) for _ in range(8)))
            mosts.append(crowd.most)

        async def work(sender: Sender) -> None:
            await ask(sender)
            sender.slow_down(site.url)
            await ask(sender)
            for _ in range(29):
                sender.speed_up(site.url)
            await ask(sender)
            for _ in range(10):
                sender.speed_up(site.url)
            await ask(sender)

        asyncio.run(run_with_scrapy(list_options(concurrency=4), work))
        assert mosts == [4, 1, 3, 4]


def test_a_crawl_keeps_its_concurrency() -> None:
    with TrapSite(traps=False).serving() as site:
        crowd = Crowd()
        paths = [f"/{chr(97 + n)}" for n in range(20)]
        site.pages |= {"/": html(*paths), **dict.fromkeys(paths, crowd)}
        Crawled(f"{site.url}/", concurrency=3)
        assert crowd.most == 3


def test_every_page_of_a_busy_host_is_found() -> None:
    with TrapSite(traps=False).serving() as site:
        paths = [f"/{chr(97 + n)}" for n in range(8)]

        def reply(handler: object) -> Reply:
            path = handler.path  # type: ignore[attr-defined]
            return Reply(status=429, headers={"Retry-After": "0"}) if site.count_try(path) == 1 else html()

        site.pages |= {"/": html(*paths), **dict.fromkeys(paths, reply)}
        assert len(Crawled(f"{site.url}/", concurrency=6).paths(SCORED)) == 9


class _Down:
    """A sender for a host that does not answer."""

    def __init__(self) -> None:
        self.sent = 0

    async def send(self, wanted: Wanted) -> Answer:
        self.sent += 1
        if wanted.url == "http://a/up":
            return Answer(200, {})
        raise ExchangeFailed("connection refused", may_pass=True)

    def set_delay(self, url: str, seconds: float) -> None: ...

    def slow_down(self, url: str) -> None: ...

    def speed_up(self, url: str) -> None: ...


def test_a_host_that_is_down_gets_no_second_attempts_until_it_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    waits = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr("steelyard.site.crawl.attempts.asyncio.sleep", sleep)
    sender = _Down()
    attempts = Attempts(sender, list_options(retries=2))

    async def ask(name: str) -> int:
        before = sender.sent
        with suppress(ExchangeFailed):
            wanted = Wanted(f"http://a/{name}", own_headers=False, most_bytes=10)
            await attempts.send(wanted, attempts.allow_retries())
        return sender.sent - before

    async def ask_all() -> list[int]:
        return [await ask(name) for name in [*"abcdefghijkl", "up", "m"]]

    assert asyncio.run(ask_all()) == [3] * 8 + [1] * 4 + [1, 3]
    assert all(0.5 <= first <= 1.0 <= second <= 2.0 for first, second in zip(waits[::2], waits[1::2], strict=True))


def test_an_address_has_its_retries_once_wherever_it_leads() -> None:
    with TrapSite(traps=False).serving() as site:
        busy = Reply(status=503, headers={"Retry-After": "0"})

        def reply(handler: object) -> Reply:
            path = handler.path  # type: ignore[attr-defined]
            return redirect(f"{path}x") if site.count_try(path) == 2 else busy

        site.pages |= {"/" + "x" * n: reply for n in range(1, 10)}
        visit = Crawled(f"{site.url}/x", retries=2, use_sitemaps=False).visits["/x"]
        assert visit.reason.endswith("/xxx: answered with status 503 (Service Unavailable)")
        assert [one.path for one in site.log] == ["/robots.txt", "/x", "/x", "/xx", "/xx", "/xxx"]


def test_a_host_that_is_always_busy_gets_no_second_attempts() -> None:
    with TrapSite(traps=False).serving() as site:
        paths = [f"/{chr(97 + n)}" for n in range(12)]
        site.pages |= {"/": html(*paths), **dict.fromkeys(paths, Reply(status=503, headers={"Retry-After": "0"}))}
        Crawled(f"{site.url}/", retries=1, concurrency=1, use_sitemaps=False)
        counts = [len(site.asked(path)) for path in paths]
        assert counts[:7] == [2] * 7
        assert counts[-2:] == [1, 1]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("", 0.0),
        ("7", 7.0),
        ("0", 0.0),
        ("99999999999999999999", LONGEST_WAIT),
        ("-5", 0.0),
        ("soon", 0.0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("Wed, 21 Oct 9999 07:28:00 GMT", LONGEST_WAIT),
        ("Wed, 99 Oct 2015", 0.0),
    ],
)
def test_retry_after_is_read_and_has_a_limit(value: str, seconds: float) -> None:
    assert read_retry_after(value) == seconds
