"""Crawls of the trap site, as tests start them."""

from __future__ import annotations

import sqlite3
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


class FileFrontier:
    """A frontier in SQLite, in memory or in a file; what was under way when its process died is queued again."""

    def __init__(self, links: Iterable[Link] = (), path: str = ":memory:") -> None:
        self._file = sqlite3.connect(path, isolation_level=None)
        self._file.execute("PRAGMA journal_mode = WAL")
        self._file.execute(
            "CREATE TABLE IF NOT EXISTS addresses (url TEXT PRIMARY KEY, depth INT, origin TEXT, found_on TEXT,"
            " under_way INT DEFAULT 0, state TEXT, reason TEXT, status INT, final_url TEXT)"
        )
        self._file.execute("CREATE INDEX IF NOT EXISTS queue ON addresses (depth, url) WHERE state IS NULL")
        self._file.execute("UPDATE addresses SET under_way = 0 WHERE under_way")
        self.add(links)

    @property
    def visits(self) -> list[Visit]:
        """The visits of the finished addresses, in the order in which these became known."""
        return list(self.finished())

    def add(self, links: Iterable[Link]) -> None:
        self._file.executemany(
            "INSERT OR IGNORE INTO addresses (url, depth, origin, found_on) VALUES (?, ?, ?, ?)",
            [(link.url, link.depth, link.origin, link.found_on) for link in links],
        )

    def take(self, most: int) -> list[Link]:
        (lowest,) = self._file.execute("SELECT min(depth) FROM addresses WHERE state IS NULL").fetchone()
        rows = self._file.execute(
            "SELECT url, depth, origin, found_on FROM addresses WHERE state IS NULL AND NOT under_way AND depth = ?"
            " ORDER BY url LIMIT ?",
            (lowest, most),
        ).fetchall()
        self._file.executemany("UPDATE addresses SET under_way = 1 WHERE url = ?", [(row[0],) for row in rows])
        return [Link(*row) for row in rows]

    def finish(self, visit: Visit, links: Sequence[Link] = ()) -> None:
        self._file.execute("BEGIN")
        done = self._file.execute(
            "UPDATE addresses SET under_way = 0, state = ?, reason = ?, status = ?, final_url = ?"
            " WHERE url = ? AND state IS NULL",
            (visit.state, visit.reason, visit.status, visit.final_url, visit.link.url),
        )
        assert done.rowcount == 1, "an address was finished twice"
        self.add(links)
        self._file.execute("COMMIT")

    def count(self) -> tuple[int, int]:
        return tuple(self._file.execute("SELECT count(state), count(*) FROM addresses").fetchone())

    def measure_bytes(self) -> int:
        (size,) = self._file.execute(
            "SELECT coalesce(sum(length(url) + coalesce(length(found_on), 0)), 0) FROM addresses"
        ).fetchone()
        return int(size)

    def finished(self) -> Iterable[Visit]:
        columns = "url, depth, origin, found_on, state, reason, status, final_url"
        for row in self._file.execute(f"SELECT {columns} FROM addresses WHERE state IS NOT NULL"):  # noqa: S608
            yield Visit(Link(*row[:4]), *row[4:])


class Crawled:
    """A crawl that is over.

    Attributes:
        visits: The visit of each address, by path and query.
        end: How it ended.
    """

    def __init__(self, *starts: str, **changes: Any) -> None:
        frontier = FileFrontier(Link(start) for start in starts)
        self.end: CrawlSummary = crawl(frontier, list_options(**changes), describe)
        self.visits = {cut_host(visit.link.url): visit for visit in frontier.visits}

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
