"""Pages from the web, fetched with the code of an audit; nothing else here makes a request."""

from __future__ import annotations

from urllib.parse import urlsplit

from steelyard.errors import PageUnreadable
from steelyard.inputs.page_ref import PageRef
from steelyard.web.responses import HTTPError

MAX_PAGE_BYTES = 5_000_000  # bytes
MAX_FETCH_SECONDS = 20.0  # seconds for one answer, and for a page with all redirects


def load_address(url: str, *, allow_private: bool) -> PageRef:
    """Fetch a page and decode it.

    Raises:
        HTTPError: The address cannot be used.
        PageUnreadable: There is no page to score at this address; the message says why.
        MissingExtra: The package that fetches pages is not installed.
    """
    check_address(url)
    from steelyard.site.crawl.fetch import fetch_page
    from steelyard.site.crawl.options import CrawlOptions
    from steelyard.site.measure import read_answer
    from steelyard.site.model import EXCLUDED

    options = CrawlOptions(
        timeout=MAX_FETCH_SECONDS,
        max_seconds=MAX_FETCH_SECONDS,
        max_bytes=MAX_PAGE_BYTES,
        retries=0,
        allow_private=allow_private,
    )
    fetched = fetch_page(url, options)
    if fetched.outcome == EXCLUDED and not allow_private:
        raise PageUnreadable(f"{url}: {fetched.reason}; steelyard serve --allow-private visits all private addresses")
    return read_answer(fetched)


def check_address(url: str) -> None:
    """Check that an address can be asked for: http or https, a host, no password, nothing invisible.

    Raises:
        HTTPError: It cannot; the message says why.
    """
    try:
        parts = urlsplit(url)
        host, user, _ = parts.hostname, parts.username, parts.port
    except ValueError:
        host, user = None, None
    if not host or parts.scheme not in ("http", "https"):
        raise HTTPError(422, "this is not the address of a page; it begins with http:// or https://, and names a host")
    if user is not None or "@" in parts.netloc:
        raise HTTPError(422, "this address holds a user name or password; give one without")
    if not url.isprintable() or " " in url:
        raise HTTPError(422, "this address holds a character that no address has; copy it again")
