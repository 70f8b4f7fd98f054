"""The crawl itself: take addresses, fetch and hand over their pages, and record what became of each."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from urllib.parse import urlsplit

from steelyard.site.addresses import normalise, same_site
from steelyard.site.crawl.attempts import Attempts
from steelyard.site.crawl.end import DEPTH, LINKS, PAGES, TIME, WAITING, CrawlEnd, Limit
from steelyard.site.crawl.fetcher import FetchedPage, Fetcher, name_product
from steelyard.site.crawl.links import MOST_LINKS, forbids_following
from steelyard.site.crawl.options import CrawlOptions
from steelyard.site.crawl.patterns import PatternLimits
from steelyard.site.crawl.robots import Robots
from steelyard.site.crawl.sender import Sender
from steelyard.site.crawl.sitemaps import Sitemaps
from steelyard.site.model import EXCLUDED, FAILED, LINK, SITEMAP, Fetched, Frontier, Link, Visit

Handle = Callable[[Fetched], Awaitable[Visit]]
Progress = Callable[[int, int], None]

# Addresses that may wait. A site can name them faster than anybody visits them, and they fill the user's disk.
MOST_WAITING = 1_000_000
_SECONDS_BETWEEN_REPORTS = 0.2


class Visits:
    """Visits the addresses of a frontier, in its order.

    Twice as many addresses are under way as requests are allowed at a time: some are fetched, others handled. No
    more is taken before one of them is finished, so no more bodies wait.

    Args:
        frontier: The addresses.
        options: The limits.
        sender: Sends the requests.
        handle: Turns an answer into what became of its address.
        progress: Told how many addresses are finished and known.
    """

    def __init__(
        self, frontier: Frontier, options: CrawlOptions, sender: Sender, handle: Handle, progress: Progress
    ) -> None:
        self._frontier, self._options, self._handle, self._progress = frontier, options, handle, progress
        self._attempts = Attempts(sender, options)
        self._robots = Robots(self._attempts, sender, options)
        self._fetcher = Fetcher(self._attempts, options, check=self._robots.check)
        self._patterns = PatternLimits(options.most_per_pattern, options.most_per_query)
        self._sitemaps: Sitemaps | None = None
        self._product = name_product(options.user_agent)
        self._asked = 0  # addresses asked for, those under way included
        self._waiting = 0
        self._cut_pages = self._unread_pages = 0
        self._too_deep = self._out_of_time = False
        self._deadline = time.monotonic() + options.max_seconds if options.max_seconds is not None else None
        self._last_report = 0.0

    async def run(self) -> CrawlEnd:
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
                done, under_way = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
                self._report()
        finally:
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)
        self._report(is_last=True)
        return self._summarise()

    async def _begin(self, under_way: set[asyncio.Task[None]]) -> None:
        """Read the sitemaps before anything else, so that the order of pages does not depend on when they come."""
        first = self._frontier.take(1) if self._asked < self._options.max_pages else []
        start = self._options.site if "://" in self._options.site else first[0].url if first else ""
        looks_for_sitemaps = self._options.use_sitemaps and self._options.follow and start
        given = [address for sitemap in self._options.sitemaps if (address := normalise(sitemap, keep_session=True))]
        if given or looks_for_sitemaps:
            site = self._options.site or start or given[0]
            self._sitemaps = Sitemaps(self._attempts, self._robots.check, self._options, site)
            for sitemap in given:
                await self._sitemaps.read(sitemap, self._add_from_sitemap)
            if looks_for_sitemaps:
                named = await self._robots.list_sitemaps(start)
                for sitemap in named:
                    await self._sitemaps.read(sitemap, self._add_from_sitemap)
                if not named:
                    guess = "{0.scheme}://{0.netloc}/sitemap.xml".format(urlsplit(start))
                    await self._sitemaps.read(guess, self._add_from_sitemap, is_guess=True)
        self._begin_visits(first, under_way)

    def _add_from_sitemap(self, sitemap: str, addresses: list[str]) -> None:
        self._frontier.add(Link(address, depth=1, origin=SITEMAP, found_on=sitemap) for address in addresses)

    def _take(self, under_way: set[asyncio.Task[None]]) -> None:
        """Begin as many visits as there is room for."""
        while not self._too_deep:
            room = min(2 * self._options.concurrency - len(under_way), self._options.max_pages - self._asked)
            if self._deadline is not None and time.monotonic() >= self._deadline:
                self._out_of_time = True
            if room <= 0 or self._out_of_time:
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
        visit = await self._handle(page.fetched)
        if not _was_asked(visit):
            self._asked -= 1
        self._frontier.finish(visit, self._list_links(page))

    def _list_links(self, page: FetchedPage) -> list[Link]:
        """Return the links to follow, in the order of the alphabet."""
        fetched, found = page.fetched, page.links
        if not self._options.follow or found is None or fetched.outcome is not None or fetched.link.depth < 0:
            return []  # what comes before the start is no page of the site
        if found.nofollow or forbids_following(page.x_robots_tag, self._product):
            return []
        if self._waiting >= MOST_WAITING:
            self._unread_pages += 1
            return []
        self._cut_pages += found.is_cut
        base = normalise(found.base, fetched.url, keep_session=True) if found.base else None
        site = self._options.site or fetched.link.url
        addresses = {normalise(href, base or fetched.url) for href in found.hrefs}
        depth = fetched.link.depth + 1
        return [
            Link(address, depth, LINK, fetched.url)
            for address in sorted(filter(None, addresses))
            if same_site(address, site) and address != fetched.url
        ]

    def _report(self, *, is_last: bool = False) -> None:
        now = time.monotonic()
        if is_last or now - self._last_report >= _SECONDS_BETWEEN_REPORTS:
            self._last_report = now
            finished, known = self._frontier.count()
            self._waiting = known - finished
            self._progress(finished, known)

    def _summarise(self) -> CrawlEnd:
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
        if self._cut_pages:
            limits.append(Limit(LINKS, MOST_LINKS, self._cut_pages))
        if self._unread_pages:
            limits.append(Limit(WAITING, MOST_WAITING, self._unread_pages))
        limits += [self._robots.limits[key] for key in sorted(self._robots.limits)]
        if self._sitemaps is not None:
            limits += self._sitemaps.list_limits()
        return CrawlEnd(
            finished,
            known,
            tuple(limits),
            dict(self._robots.delays),
            dict(self._robots.shortened_delays),
            tuple(self._sitemaps.failed) if self._sitemaps is not None else (),
        )


def _was_asked(visit: Visit) -> bool:
    """Return whether an address counts as a page: not where robots.txt or a rule kept the crawl from asking for it."""
    return visit.state != EXCLUDED or visit.status is not None
