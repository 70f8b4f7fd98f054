"""Pages that are given by their address: fetched by the code that crawls a site."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from urllib.parse import urlsplit

from steelyard.errors import MissingExtra, PageUnreadable
from steelyard.inputs.find import explain_fetching
from steelyard.inputs.page_ref import PageRef

NEEDED = ("httpcore", "anyio", "certifi", "w3lib")  # for one page; what an audit keeps needs more


def make_fetch(max_bytes: int) -> Callable[[str], PageRef]:
    """Return a function that fetches one page; what goes wrong becomes the error of its PageRef.

    The host was typed by the user, so it may be private; a redirect to another private one is refused.
    """

    def fetch(address: str) -> PageRef:
        missing = next((package for package in NEEDED if find_spec(package) is None), None)
        if missing is not None:
            advice = MissingExtra(extra="html", package=missing)
            return PageRef(address, error=f"{address}: {advice}; or {explain_fetching(address)}")
        from steelyard.site.addresses import normalise
        from steelyard.site.crawl.fetch import fetch_page
        from steelyard.site.crawl.options import CrawlOptions
        from steelyard.site.measure import read_answer

        url = normalise(address)
        if url is None:
            return PageRef(address, error=f"{address}: no address of a page; give one such as https://example.org/")
        options = CrawlOptions(max_bytes=max_bytes, private_hosts=frozenset({urlsplit(url).netloc}))
        try:
            return read_answer(fetch_page(url, options))
        except PageUnreadable as error:
            return PageRef(address, error=str(error))

    return fetch
