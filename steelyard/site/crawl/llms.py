"""Whether a site has an llms.txt: one request, as polite as the others."""

from __future__ import annotations

from urllib.parse import urlsplit

from steelyard.site.access.site_access import ABSENT, NOT_ASKED, READ, UNREADABLE, LlmsTxt
from steelyard.site.crawl.fetch import Check, describe_status, fetch_file, make_file_request
from steelyard.site.crawl.options import CrawlOptions
from steelyard.support.http.messages import FetchError, Request
from steelyard.support.http.retrying import BUSY, RetryingClient
from steelyard.text.html import is_html

NAME = "llms.txt"
MAX_BYTES = 100_000  # that are asked for; only its beginning is looked at


async def read_llms(client: RetryingClient, options: CrawlOptions, check: Check, start: str) -> LlmsTxt:
    """Return whether the site of an address has the file; a page that is shown for any address is none."""
    parts = urlsplit(start)
    url = f"{parts.scheme}://{parts.netloc}/{NAME}"

    def make(address: str) -> Request:
        return make_file_request(address, options, options.site or start, MAX_BYTES, cut=True)

    refusal = await check(url)
    if refusal is not None:
        return LlmsTxt(url, NOT_ASKED, refusal[1])
    try:
        response = await fetch_file(client, url, make, check=check, retry_names=False)
    except FetchError as error:
        return LlmsTxt(url, UNREADABLE, error.reason)
    if response.ok:
        text = response.body.decode("utf-8", "replace")
        if is_html(text, content_type=response.content_type) or not text.strip():
            return LlmsTxt(url, ABSENT, "a page is answered instead" if text.strip() else "it is empty")
        return LlmsTxt(url, READ)
    is_absent = 400 <= response.status < 500 and response.status not in BUSY
    return LlmsTxt(url, ABSENT if is_absent else UNREADABLE, describe_status(response))
