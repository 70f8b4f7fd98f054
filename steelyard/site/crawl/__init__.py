"""The crawl of a site: polite, bounded, the same in every run, and never on private addresses that nobody typed."""

from __future__ import annotations

from steelyard.site.crawl.end import CrawlEnd, Limit
from steelyard.site.crawl.fetch import fetch_page
from steelyard.site.crawl.options import CrawlOptions
from steelyard.site.crawl.run import crawl

__all__ = ["CrawlEnd", "CrawlOptions", "Limit", "crawl", "fetch_page"]
