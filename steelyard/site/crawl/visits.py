"""The crawl itself: take addresses, fetch and hand over their pages, and record the outcome of each."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from urllib.parse import urlsplit

from steelyard.errors import MissingExtra
from steelyard.site.access.site_access import NO_LLMS, SiteAccess
from steelyard.site.addresses import normalise, same_site
from steelyard.site.crawl.fetch import FetchedPage, Fetcher, make_client, name_product
from steelyard.site.crawl.links import MAX_LINKS, forbids_following
from steelyard.site.crawl.llms import read_llms
from steelyard.site.crawl.options import CrawlOptions
from steelyard.site.crawl.patterns import PatternLimits
from steelyard.site.crawl.robots import Robots
from steelyard.site.crawl.sitemaps import PIECE, Sitemaps
from steelyard.site.crawl.summary import (
    BYTES,
    DEPTH,
    LINK_BYTES,
    LINKS,
    PAGES,
    PREPARATION,
    TIME,
    WAITING,
    CrawlSummary,
    Limit,
)
from steelyard.site.model import EXCLUDED, FAILED, LINK, SITEMAP, Fetched, Frontier, Link, Visit
from steelyard.support.http.pace import Pace
from steelyard.support.http.retrying import RetryingClient, RetryPolicy, Sender

Handle = Callable[[Fetched], Awaitable[Visit]]
Progress = Callable[[int, int], None]

# Addresses that may wait. A site can name them faster than anybody visits them, and they fill the user's disk.
MAX_WAITING = 1_000_000
# Bytes of the addresses on one page and of all that are known, each with that of the page which names it. Five thousand
# links of a hundred characters fit on a page; of 59 real pages the one with most has 47,000.
MAX_LINK_BYTES = 1_000_000
MAX_BYTES = 50_000_000
MAX_BYTES_A_PAGE = 1_000  # for each page that may be asked for, where that is more
# For robots.txt and all sitemaps together: a hundred files that each ask to come back in a minute would take hours.
PREPARATION_SECONDS = 300.0
LLMS_SECONDS = 60.0  # for one file, of which nothing depends
_SECONDS_BETWEEN_REPORTS = 0.2


def crawl(
    frontier: Frontier,
    options: CrawlOptions,
    handle: Handle,
    progress: Progress = lambda _finished, _known: None,
) -> CrawlSummary:
    """Visit the addresses of a frontier and those their pages link to.

    The same site gives the same pages in every run, whatever the order of its answers. What is finished is in the
    frontier, so a crawl that was interrupted or killed goes on with the same call.

    Args:
        frontier: The addresses: those to start from must have been added.
        options: The limits and the pace.
        handle: Returns the visit of an address; awaited on the event loop, for some addresses at a time.
        progress: Told how many addresses are finished and known, a few times a second.

    Returns:
        The limits that were reached, and what else the user should know.

    Raises:
        MissingExtra: httpcore is not installed.
        KeyboardInterrupt: Ctrl-C was pressed; what was under way will be visited again.
    """
    with _stop_like_ctrl_c(signal.SIGTERM):
        return asyncio.run(_crawl(frontier, options, handle, progress))


async def _crawl(frontier: Frontier, options: CrawlOptions, handle: Handle, progress: Progress) -> CrawlSummary:
    try:
        client = make_client(options)
    except ModuleNotFoundError as error:
        raise MissingExtra("site", error.name or "httpcore") from error
    try:
        return await Visits(frontier, options, client, handle, progress).run()
    finally:
        await client.close()


@contextmanager
def _stop_like_ctrl_c(number: int) -> Iterator[None]:
    """Let a signal that raises KeyboardInterrupt do so as Ctrl-C does: asyncio ends its tasks in order first."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(number) is not signal.default_int_handler:
        yield
        return
    signal.signal(number, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        yield
    finally:
        signal.signal(number, signal.default_int_handler)


class Visits:
    """Visits the addresses of a frontier, in its order.

    Twice as many addresses are under way as requests are allowed at a time: some are fetched, others handled. No
    more is taken before one of them is finished, so no more bodies wait.

    Args:
        frontier: The addresses.
        options: The limits.
        sender: Sends one request.
        handle: Turns an answer into a visit.
        progress: Told how many addresses are finished and known.
    """

    def __init__(
        self, frontier: Frontier, options: CrawlOptions, sender: Sender, handle: Handle, progress: Progress
    ) -> None:
        self._frontier, self._options, self._handle, self._progress = frontier, options, handle, progress
        pace = Pace(options.concurrency, options.delay)
        self._client = RetryingClient(sender, RetryPolicy(options.retries), pace)
        self._robots = Robots(self._client, pace, options)
        self._fetcher = Fetcher(self._client, options, check=self._robots.check)
        self._patterns = PatternLimits(options.most_per_pattern, options.most_per_query)
        self._sitemaps: Sitemaps | None = None
        self._product = name_product(options.user_agent)
        self._asked = 0  # addresses asked for, those under way included
        self._waiting = 0
        self._max_bytes = max(MAX_BYTES, MAX_BYTES_A_PAGE * options.max_pages)
        self._reached: Counter[str] = Counter()  # pages, by the limit that kept links of them from being followed
        self._too_deep = self._out_of_time = self._is_unprepared = False
        self._deadline = time.monotonic() + options.max_seconds if options.max_seconds is not None else None
        self._last_report = 0.0
        self._start = ""
        self._llms = NO_LLMS

    async def run(self) -> CrawlSummary:
        """Visit until nothing is left or a limit is reached."""
        for visit in self._frontier.finished():
            self._asked += _was_asked(visit)
            self._patterns.restore(visit, was_asked=_was_asked(visit))
        under_way: set[asyncio.Task[None]] = set()
        try:
            await self._begin(under_way)
            while True:
                self._take(under_way)
                if not under_way:
                    break
                seconds = self._count_seconds_left()
                done, under_way = await asyncio.wait(under_way, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
                self._report()
                if self._out_of_time:
                    break
            if self._start and not self._out_of_time:
                await self._read_llms()
        finally:
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)
        self._report(is_last=True)
        return self._summarise()

    async def _begin(self, under_way: set[asyncio.Task[None]]) -> None:
        """Read the sitemaps before anything else, so that the order of pages does not depend on when they come."""
        first = self._frontier.take(1) if self._asked < self._options.max_pages else []
        self._start = first[0].url if first else ""
        left = self._count_seconds_left()
        try:
            async with asyncio.timeout(PREPARATION_SECONDS if left is None else min(left, PREPARATION_SECONDS)):
                await self._read_sitemaps(self._start)
        except TimeoutError:
            self._is_unprepared = self._count_seconds_left() != 0.0
        if self._count_seconds_left() != 0.0:
            self._begin_visits(first, under_way)

    async def _read_sitemaps(self, first: str) -> None:
        start = self._options.site if "://" in self._options.site else first
        looks_for_sitemaps = self._options.use_sitemaps and self._options.follow and start
        typed = [address for sitemap in self._options.sitemaps if (address := normalise(sitemap, keep_session=True))]
        if not typed and not looks_for_sitemaps:
            return
        site = self._options.site or start or typed[0]
        room = self._max_bytes // 2  # the rest is for links
        self._sitemaps = Sitemaps(self._client, self._robots.check, self._options, site, room)
        for sitemap in typed:
            await self._sitemaps.read(sitemap, self._add_from_sitemap)
        if looks_for_sitemaps:
            named = await self._robots.list_sitemaps(start)
            for sitemap in named:
                await self._sitemaps.read(sitemap, self._add_from_sitemap)
            if not named:
                guess = "{0.scheme}://{0.netloc}/sitemap.xml".format(urlsplit(start))
                await self._sitemaps.read(guess, self._add_from_sitemap, is_guess=True)

    async def _read_llms(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(LLMS_SECONDS):
                self._llms = await read_llms(self._client, self._options, self._robots.check, self._start)

    def _count_seconds_left(self) -> float | None:
        """Return the seconds that are left, at least 0; None where there is no limit."""
        if self._deadline is None:
            return None
        left = max(0.0, self._deadline - time.monotonic())
        self._out_of_time = left == 0.0
        return left

    def _add_from_sitemap(self, sitemap: str, addresses: list[str]) -> None:
        self._frontier.add(Link(address, depth=1, origin=SITEMAP, found_on=sitemap) for address in addresses)

    def _take(self, under_way: set[asyncio.Task[None]]) -> None:
        """Begin as many visits as there is room for."""
        while not self._too_deep:
            room = min(2 * self._options.concurrency - len(under_way), self._options.max_pages - self._asked)
            if room <= 0 or self._count_seconds_left() == 0.0:
                return
            links = self._frontier.take(room)
            if not links:
                return
            self._begin_visits(links, under_way)

    def _begin_visits(self, links: Iterable[Link], under_way: set[asyncio.Task[None]]) -> None:
        for link in links:
            if link.depth > self._options.max_depth:
                # It stays in the frontier: deeper ones come last, so there is nothing else to take either.
                self._too_deep = True
                return
            reason = self._patterns.admit(link)
            if reason is not None:
                self._frontier.finish(Visit(link, EXCLUDED, reason, final_url=link.url))
                continue
            self._asked += 1
            under_way.add(asyncio.create_task(self._visit(link)))

    async def _visit(self, link: Link) -> None:
        try:
            page = await self._fetcher.fetch(link)
        except Exception as error:  # noqa: BLE001 - a bug on one page must not lose the others
            fault = f"{type(error).__name__}: {error}"
            reason = f"fetching failed ({fault}); this is a bug, please report the page"
            page = FetchedPage(Fetched(link, link.url, outcome=FAILED, reason=reason))
        fetched = page.fetched
        if fetched.outcome is None:
            fetched = replace(fetched, forbidden=await self._robots.list_forbidden(fetched.url))
        visit = await self._handle(fetched)
        if not _was_asked(visit):
            self._asked -= 1
        self._frontier.finish(visit, await self._list_links(page))

    async def _list_links(self, page: FetchedPage) -> list[Link]:
        """Return the links to follow, in the order of the alphabet."""
        fetched, page_links = page.fetched, page.links
        if not self._options.follow or page_links is None or fetched.outcome is not None or fetched.link.depth < 0:
            return []  # what comes before the start is no page of the site
        if page_links.nofollow or forbids_following(fetched.x_robots_tag, self._product):
            return []
        too_much = WAITING if self._waiting >= MAX_WAITING else BYTES
        if too_much == WAITING or self._frontier.measure_bytes() >= self._max_bytes:
            self._reached[too_much] += 1
            return []
        base = normalise(page_links.base, fetched.url, keep_session=True) if page_links.base else None
        site = self._options.site or fetched.link.url
        links: dict[str, Link] = {}
        room, is_too_long = MAX_LINK_BYTES, page_links.is_too_long
        for number, href in enumerate(page_links.hrefs):
            if number % PIECE == PIECE - 1:
                await asyncio.sleep(0)
            address = normalise(href, base or fetched.url)
            if address is None or address in links or address == fetched.url or not same_site(address, site):
                continue
            link = Link(address, fetched.link.depth + 1, LINK, fetched.url)
            if link.bytes > room:
                is_too_long = True
                break
            room -= link.bytes
            links[address] = link
        self._reached[LINKS] += page_links.is_cut
        self._reached[LINK_BYTES] += is_too_long
        return [links[address] for address in sorted(links)]

    def _report(self, *, is_last: bool = False) -> None:
        now = time.monotonic()
        if is_last or now - self._last_report >= _SECONDS_BETWEEN_REPORTS:
            self._last_report = now
            finished, known = self._frontier.count()
            self._waiting = known - finished
            self._progress(finished, known)

    def _summarise(self) -> CrawlSummary:
        finished, known = self._frontier.count()
        left = known - finished
        limits = []
        if left and self._too_deep:
            limits.append(Limit(DEPTH, self._options.max_depth, left))
        elif left and self._out_of_time:
            limits.append(Limit(TIME, self._options.max_seconds or 0.0, left))
        elif left:
            limits.append(Limit(PAGES, self._options.max_pages, left))
        limits += self._patterns.list_limits()
        most = {LINKS: MAX_LINKS, LINK_BYTES: MAX_LINK_BYTES, WAITING: MAX_WAITING, BYTES: self._max_bytes}
        limits += [Limit(kind, most[kind], self._reached[kind]) for kind in most if self._reached[kind]]
        if self._is_unprepared:
            asked = self._sitemaps.count_files() if self._sitemaps is not None else 0
            limits.append(Limit(PREPARATION, PREPARATION_SECONDS, asked))
        limits += [self._robots.limits[key] for key in sorted(self._robots.limits)]
        if self._sitemaps is not None:
            limits += self._sitemaps.list_limits()
        return CrawlSummary(
            finished,
            known,
            tuple(limits),
            dict(self._robots.delays),
            dict(self._robots.shortened_delays),
            tuple(self._sitemaps.failed) if self._sitemaps is not None else (),
            SiteAccess(tuple(self._robots.files[origin] for origin in sorted(self._robots.files)), self._llms),
        )


def _was_asked(visit: Visit) -> bool:
    """Return whether an address counts as a page: not where robots.txt or a rule kept the crawl from asking for it."""
    return visit.state != EXCLUDED or visit.status is not None
