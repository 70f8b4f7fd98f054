"""The limits and manners of a crawl."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from steelyard import __version__
from steelyard.errors import SteelyardError

USER_AGENT = f"steelyard/{__version__} (content score; audits a site for its owner)"
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
# They belong to the connection; another value would break the reading of the answer.
_OWN_HEADERS = frozenset({"accept-encoding", "connection", "content-length", "transfer-encoding"})


class InvalidHeader(SteelyardError):
    """A header that cannot be sent; the message never holds its value."""


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """The limits and manners of a crawl.

    Attributes:
        site: The address of the site, or its name; empty means the site of each address. With `https://` in front,
            `headers` are never sent over plain http.
        max_pages: Addresses that are asked for, at most.
        max_depth: Clicks from a start page, at most.
        max_seconds: Seconds for the whole crawl; None for no limit. What is under way then is left for the next run.
        concurrency: Requests to one host at a time.
        delay: Seconds between two requests to one host, at least; robots.txt may ask for more.
        timeout: Seconds for one whole answer, from the look-up of the name to the last byte.
        max_bytes: Bytes of one answer, packed and unpacked.
        retries: Further attempts after a failure that may pass.
        user_agent: What the crawl calls itself; robots.txt is read for it.
        obey_robots: Whether robots.txt is read.
        headers: Sent to the site itself and to nobody else. The values are secret.
        private_hosts: Hosts the user typed, as `localhost` or `localhost:8000`, which may have private addresses.
        allow_private: Allow every private address.
        follow: Follow the links of pages.
        sitemaps: Addresses of sitemaps the user gave.
        use_sitemaps: Read the sitemaps that robots.txt names, else /sitemap.xml; only where links are followed.
        most_per_pattern: Addresses that differ only in the digits of their paths, at most: an endless calendar.
        most_per_query: Addresses that differ only in their queries, at most.
    """

    site: str = ""
    max_pages: int = 500
    max_depth: int = 10
    max_seconds: float | None = None
    concurrency: int = 4
    delay: float = 0.0
    timeout: float = 30.0
    max_bytes: int = 10_000_000
    retries: int = 2
    user_agent: str = USER_AGENT
    obey_robots: bool = True
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    private_hosts: frozenset[str] = frozenset()
    allow_private: bool = False
    follow: bool = True
    sitemaps: tuple[str, ...] = ()
    use_sitemaps: bool = True
    most_per_pattern: int = 200
    most_per_query: int = 50

    def __post_init__(self) -> None:
        """Refuse headers that would break a request.

        Raises:
            InvalidHeader: The name or the value cannot be sent, or the header is the connection's own.
        """
        for name, value in {**self.headers, "User-Agent": self.user_agent}.items():
            if not _HEADER_NAME.fullmatch(name):
                raise InvalidHeader(f"{name!r} is not the name of a header; use letters, digits and hyphens")
            if name.lower() in _OWN_HEADERS:
                raise InvalidHeader(f"the header {name} belongs to the connection and cannot be set; leave it out")
            if not _HEADER_VALUE.fullmatch(value):
                raise InvalidHeader(f"the value of the header {name} has characters that cannot be sent; check it")
