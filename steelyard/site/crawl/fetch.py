"""Fetch a single page, with the manners and limits of a crawl."""

from __future__ import annotations

import asyncio

from steelyard.errors import MissingExtra
from steelyard.site.addresses import normalise
from steelyard.site.crawl.options import CrawlOptions
from steelyard.site.model import FAILED, START, Fetched, Link


def fetch_page(url: str, options: CrawlOptions | None = None) -> Fetched:
    """Return the page of an address, or the reason why there is none.

    robots.txt is not asked: a person asked for this page. Redirects are followed to other sites, too, never to
    private addresses that were not typed, and the user's own headers stay with the site. All of it ends within
    `max_seconds`, or three times the timeout. It can be called again and again, from any thread that runs no event
    loop, and raises nothing for what a server does.

    Args:
        url: An http or https address.
        options: The limits, headers and private hosts.

    Raises:
        MissingExtra: httpcore is not installed.
    """
    options = options or CrawlOptions()
    address = normalise(url)
    if address is None:
        link = Link(url)
        return Fetched(link, url, outcome=FAILED, reason="is not an http or https address that can be fetched")
    try:
        import httpcore  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingExtra("site", "httpcore") from error
    return asyncio.run(_fetch(Link(address, origin=START), options))


async def _fetch(link: Link, options: CrawlOptions) -> Fetched:
    from steelyard.site.crawl.attempts import Attempts
    from steelyard.site.crawl.exchange import Client
    from steelyard.site.crawl.fetcher import Fetcher
    from steelyard.site.crawl.sender import DirectSender

    client = Client(options)
    seconds = 3 * options.timeout if options.max_seconds is None else options.max_seconds
    try:
        async with asyncio.timeout(seconds):
            page = await Fetcher(Attempts(DirectSender(client), options), options, stay=False).fetch(link)
            return page.fetched
    except TimeoutError:
        return Fetched(link, link.url, outcome=FAILED, reason=f"timed out after {seconds:g} s")
    finally:
        await client.close()
