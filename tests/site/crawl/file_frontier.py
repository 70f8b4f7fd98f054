"""A frontier in a small SQLite file, for tests of crawls that are killed; and a program that crawls with it.

`python -m tests.site.crawl.file_frontier URL FILE CONCURRENCY [PAGES]`
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterable, Sequence

from steelyard.site.crawl.visits import crawl
from steelyard.site.model import Link, Visit
from tests.site.crawl.crawling import describe, list_options


class FileFrontier:
    """See Frontier. What was under way when the process died is queued again."""

    def __init__(self, path: str) -> None:
        self._file = sqlite3.connect(path, isolation_level=None)
        self._file.execute("PRAGMA journal_mode = WAL")
        self._file.execute(
            "CREATE TABLE IF NOT EXISTS addresses (url TEXT PRIMARY KEY, depth INT, origin TEXT, found_on TEXT,"
            " under_way INT DEFAULT 0, state TEXT, reason TEXT, status INT, final_url TEXT)"
        )
        self._file.execute("CREATE INDEX IF NOT EXISTS queue ON addresses (depth, url) WHERE state IS NULL")
        self._file.execute("UPDATE addresses SET under_way = 0 WHERE under_way")

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
        for row in self._file.execute("SELECT url, depth, origin, state, reason, status, final_url FROM addresses"):
            url, depth, origin, state, *rest = row
            if state is not None:
                yield Visit(Link(url, depth, origin), state, *rest)


def main() -> None:
    """Crawl, and print how it ended."""
    url, path, concurrency = sys.argv[1:4]
    pages = int(sys.argv[4]) if len(sys.argv) > 4 else 500
    frontier = FileFrontier(path)
    frontier.add([Link(url)])
    options = list_options(concurrency=int(concurrency), max_pages=pages, most_per_pattern=3, most_per_query=2)
    try:
        end = crawl(frontier, options, describe, lambda finished, known: print(finished, known, flush=True))
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        sys.exit(130)
    print("end", end.finished, [(limit.kind, limit.left) for limit in end.limits], flush=True)


if __name__ == "__main__":
    main()
