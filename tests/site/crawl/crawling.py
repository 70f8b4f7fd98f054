"""Crawls of the trap site, as tests start them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from steelyard.site.crawl.options import CrawlOptions
from steelyard.site.crawl.summary import CrawlSummary
from steelyard.site.crawl.visits import crawl
from steelyard.site.model import SCORED, Fetched, Link, Visit


async def describe(fetched: Fetched) -> Visit:
    """Return a visit without scoring anything."""
    state = fetched.outcome or SCORED
    return Visit(fetched.link, state, fetched.reason, fetched.status, fetched.url, fetched.content_type)


def list_options(**changes: Any) -> CrawlOptions:
    """Return options for loopback, where nothing takes long."""
    return CrawlOptions(**{"timeout": 5.0, "private_hosts": frozenset({"127.0.0.1"}), **changes})


class MemoryFrontier:
    """A frontier that ends with its process; see Frontier."""

    def __init__(self, links: Iterable[Link] = ()) -> None:
        self._links: dict[str, Link] = {}
        self._queued: set[str] = set()
        self._under_way: set[str] = set()
        self.visits: list[Visit] = []
        self._bytes = 0
        self.add(links)

    def add(self, links: Iterable[Link]) -> None:
        for link in links:
            if link.url not in self._links:
                self._links[link.url] = link
                self._queued.add(link.url)
                self._bytes += link.bytes

    def take(self, most: int) -> list[Link]:
        if not self._queued:
            return []
        depth = min(self._links[url].depth for url in self._queued)
        if any(self._links[url].depth < depth for url in self._under_way):
            return []
        taken = sorted(url for url in self._queued if self._links[url].depth == depth)[:most]
        self._queued.difference_update(taken)
        self._under_way.update(taken)
        return [self._links[url] for url in taken]

    def finish(self, visit: Visit, links: Sequence[Link] = ()) -> None:
        self._under_way.discard(visit.link.url)
        self.visits.append(visit)
        self.add(links)

    def count(self) -> tuple[int, int]:
        return len(self.visits), len(self._links)

    def measure_bytes(self) -> int:
        return self._bytes

    def finished(self) -> Iterable[Visit]:
        return list(self.visits)


class Crawled:
    """A crawl that is over.

    Attributes:
        visits: What became of each address, by path and query.
        end: How it ended.
    """

    def __init__(self, *starts: str, **changes: Any) -> None:
        frontier = MemoryFrontier(Link(start) for start in starts)
        self.end: CrawlSummary = crawl(frontier, list_options(**changes), describe)
        self.visits = {cut_host(visit.link.url): visit for visit in frontier.visits}
        assert len(self.visits) == len(frontier.visits), "an address was finished twice"

    def paths(self, *states: str) -> set[str]:
        """Return the paths of visits, perhaps only of those with certain outcomes."""
        return {path for path, visit in self.visits.items() if not states or visit.state in states}


def cut_host(url: str) -> str:
    return "/" + url.split("/", 3)[3]


def tell(visits: Iterable[Visit]) -> list[tuple[object, ...]]:
    """Return visits in a form that can be compared between two servers."""
    return sorted(
        (cut_host(v.link.url), v.link.depth, v.link.origin, v.state, v.status, cut_host(v.final_url or v.link.url))
        for v in visits
    )
