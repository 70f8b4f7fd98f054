"""Crawls of the trap site, as tests start them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from steelyard.site.crawl.options import CrawlOptions
from steelyard.site.crawl.summary import CrawlSummary
from steelyard.site.crawl.visits import crawl
from steelyard.site.model import SCORED, Fetched, Link, MemoryFrontier, Visit


async def describe(fetched: Fetched) -> Visit:
    """Return a visit without scoring anything."""
    state = fetched.outcome or SCORED
    return Visit(fetched.link, state, fetched.reason, fetched.status, fetched.url, fetched.content_type)


def list_options(**changes: Any) -> CrawlOptions:
    """Return options for loopback, where nothing takes long."""
    return CrawlOptions(**{"timeout": 5.0, "private_hosts": frozenset({"127.0.0.1"}), **changes})


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
