"""A program that crawls, for tests that kill it: `python -m tests.site.crawl.crawler URL FILE CONCURRENCY [PAGES]`."""

from __future__ import annotations

import sys

from steelyard.site.crawl.visits import crawl
from steelyard.site.model import Link
from tests.site.crawl.crawling import FileFrontier, describe, list_options


def main() -> None:
    """Crawl, and print how it ended."""
    url, path, concurrency = sys.argv[1:4]
    pages = int(sys.argv[4]) if len(sys.argv) > 4 else 500
    frontier = FileFrontier([Link(url)], path)
    options = list_options(concurrency=int(concurrency), max_pages=pages, most_per_pattern=3, most_per_query=2)
    try:
        end = crawl(frontier, options, describe, lambda finished, known: print(finished, known, flush=True))
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        sys.exit(130)
    print("end", end.finished, [(limit.kind, limit.left) for limit in end.limits], flush=True)


if __name__ == "__main__":
    main()
