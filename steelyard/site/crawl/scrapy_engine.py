"""Scrapy, which paces the requests: its engine, its delays per host, and our way to fetch as its handler.

Scrapy runs without a Twisted reactor here, on the loop of asyncio, so that a process can crawl more than once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.core.downloader import Slot
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import AsyncCrawlerRunner, Crawler
from scrapy.http import Response

from steelyard.site.crawl.connection import Resolve, look_up
from steelyard.site.crawl.exchange import Answer, Client, ExchangeFailed, Wanted
from steelyard.site.crawl.options import CrawlOptions
from steelyard.site.crawl.sender import Sender

_ANSWERS_TO_SPEED_UP = 10
_SECONDS_TO_END = 2.0  # for Scrapy to close; asyncio cancels the rest
_GIVEN_UP = ExchangeFailed("nobody waits for the answer any more")


class _Handler(BaseDownloadHandler):
    """Fetches for Scrapy's downloader. What is wanted comes with the request; headers stay out of Scrapy's sight."""

    async def download_request(self, request: Request) -> Response:
        if request.meta["is_given_up"]:
            raise _GIVEN_UP
        client: Client = request.meta["client"]
        fetching = request.meta["fetching"] = asyncio.ensure_future(client.get(request.meta["wanted"]))
        try:
            answer = await fetching
        except asyncio.CancelledError:
            raise _GIVEN_UP from None
        request.meta["answer"] = answer
        return Response(request.url, status=answer.status)


class _PacingSpider(Spider):
    """Lets the crawl do its work while Scrapy's engine is open."""

    name = "steelyard"

    def __init__(self, work: Callable[[Crawler], Awaitable[None]], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._work = work

    async def start(self) -> AsyncIterator[Any]:
        await self._work(self.crawler)
        requests: list[Request] = []  # Scrapy expects a generator; ours has sent its requests itself
        for request in requests:
            yield request


class _Gate:
    """How many requests to one host may be under way.

    Scrapy's slots have such a number, too, but let more pass when several requests come at once.
    """

    def __init__(self, most: int) -> None:
        self.most, self.answers = most, 0
        self._under_way = 0
        self._has_room = asyncio.Event()

    async def __aenter__(self) -> None:
        while self._under_way >= self.most:
            await self._has_room.wait()
        self._under_way += 1

    async def __aexit__(self, *_: object) -> None:
        self._under_way -= 1
        self._has_room.set()  # all that wait now look again
        self._has_room.clear()


class ScrapySender:
    """Sends requests through Scrapy's downloader, which keeps the delay of each host."""

    def __init__(self, crawler: Crawler, client: Client, options: CrawlOptions) -> None:
        self._crawler, self._client, self._options = crawler, client, options
        self._delays: dict[str, float] = {}
        self._gates: dict[str, _Gate] = {}

    async def send(self, wanted: Wanted) -> Answer:
        """See Sender."""
        host = urlsplit(wanted.url).netloc
        meta = {"wanted": wanted, "client": self._client, "download_slot": host, "is_given_up": False}
        request = Request(wanted.url, meta=meta, dont_filter=True)
        async with self._find_gate(wanted.url):
            self._adjust(host)
            await self._download(request)
        answer: Answer = request.meta["answer"]
        return answer

    async def _download(self, request: Request) -> None:
        """Let Scrapy send a request. It does not know cancellation: its slot would be taken until the answer comes."""
        download = asyncio.ensure_future(self._crawler.engine.download_async(request))
        try:
            await asyncio.shield(download)
        except asyncio.CancelledError:
            request.meta["is_given_up"] = True  # for one that waits in the slot
            request.meta.get("fetching", download).cancel()
            download.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # which asyncio would log
            raise

    def set_delay(self, url: str, seconds: float) -> None:
        """See Sender."""
        host = urlsplit(url).netloc
        self._delays[host] = seconds
        self._adjust(host)

    def slow_down(self, url: str) -> None:
        """See Sender."""
        gate = self._find_gate(url)
        gate.most, gate.answers = 1, 0

    def speed_up(self, url: str) -> None:
        """See Sender."""
        gate = self._find_gate(url)
        gate.answers += 1
        if gate.most < self._options.concurrency and gate.answers >= _ANSWERS_TO_SPEED_UP:
            gate.most, gate.answers = gate.most + 1, 0

    def _find_gate(self, url: str) -> _Gate:
        return self._gates.setdefault(urlsplit(url).netloc, _Gate(self._options.concurrency))

    def _adjust(self, host: str) -> None:
        """Give Scrapy's slot of a host its delay; Scrapy makes new slots for hosts that were idle."""
        slot: Slot | None = self._crawler.engine.downloader.slots.get(host)
        if slot is not None:
            slot.delay = max(self._options.delay, self._delays.get(host, 0.0))


def _list_settings(options: CrawlOptions) -> dict[str, Any]:
    handler = f"{__name__}.{_Handler.__name__}"
    return {
        "TWISTED_REACTOR_ENABLED": False,
        "CONCURRENT_REQUESTS": 0,  # the crawl itself takes no more addresses than it may
        "CONCURRENT_REQUESTS_PER_DOMAIN": options.concurrency,
        "DOWNLOAD_DELAY": options.delay,
        "DOWNLOAD_DELAY_JITTER": 0.0,
        "DOWNLOAD_HANDLERS": {"http": handler, "https": handler, "data": None, "file": None, "ftp": None, "s3": None},
        # What these do by default is done here, by other rules, or not wanted: cookies, proxies of the environment.
        "DOWNLOADER_MIDDLEWARES_BASE": {},
        "SPIDER_MIDDLEWARES_BASE": {},
        "EXTENSIONS_BASE": {},
        "TELNETCONSOLE_ENABLED": False,
        "STATS_DUMP": False,
        "LOG_ENABLED": False,
    }


async def run_with_scrapy(
    options: CrawlOptions, work: Callable[[Sender], Coroutine[Any, Any, None]], resolve: Resolve = look_up
) -> None:
    """Run a crawl while Scrapy is open.

    Args:
        options: The pace.
        work: The crawl; it gets the sender to use.
        resolve: Returns the IP addresses of a host.
    """
    client = Client(options, resolve)
    # Scrapy logs errors of a spider and goes on, and ignores cancellation; so the crawl is a task of its own.
    tasks: list[asyncio.Task[None]] = []

    async def begin(crawler: Crawler) -> None:
        tasks.append(asyncio.create_task(work(ScrapySender(crawler, client, options))))
        try:
            await asyncio.wait(tasks)
        finally:
            for slot in crawler.engine.downloader.slots.values():
                slot.queue.clear()  # Scrapy would still send what waits there

    with _silence(logging.getLogger("scrapy")):
        scrapy = AsyncCrawlerRunner(_list_settings(options)).crawl(_PacingSpider, work=begin)
        try:
            await asyncio.shield(scrapy)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait([scrapy, *tasks], timeout=_SECONDS_TO_END)
            await client.close()
    await tasks[0]


@contextmanager
def _silence(logger: logging.Logger) -> Iterator[None]:
    """Keep a logger quiet, unless somebody has set its level."""
    level = logger.level
    if level == logging.NOTSET:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(level)
