"""Sitemaps: indexes, packed files and plain lists, read without an XML parser so that no entity is ever expanded."""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Callable, Iterator

from steelyard.site.addresses import normalise, same_site
from steelyard.site.crawl.fetch import Check, describe_status, fetch_file, make_file_request
from steelyard.site.crawl.options import CrawlOptions
from steelyard.site.crawl.summary import SITEMAPS, Limit
from steelyard.support.formatting import format_count
from steelyard.support.http.body import unpack_gzip
from steelyard.support.http.messages import FetchError, Request
from steelyard.support.http.retrying import RetryingClient
from steelyard.text.tags import decode_references

MAX_ADDRESSES = 50_000  # of one file, as the protocol says
MAX_FILES = 100
PIECE = 100  # addresses that are normalised before others get their turn
MAX_BYTES = 50_000_000  # of one file, packed and unpacked, as the protocol says
_DEEPEST = 3
# No repeat crosses a `<`, so each is over at the next tag. `image:loc` and `video:loc` are not pages.
_LOCATION = re.compile(rb"<loc>\s*+(?:<!\[CDATA\[([^\]<]{1,8000}+)\]\]>|([^<]{1,8000}+))\s*+</", re.IGNORECASE)
_ROOT = re.compile(rb"<(?:[A-Za-z0-9_]{1,40}:)?(sitemapindex|urlset)[\s>]", re.IGNORECASE)
_ENTITY = re.compile(rb"<!ENTITY", re.IGNORECASE)


class Unreadable(Exception):
    """A sitemap cannot be read; the text says why, as the end of a sentence."""


class Sitemaps:
    """Reads the sitemaps of a site.

    Args:
        client: Sends the requests.
        check: Says why an address must not be asked for.
        options: The limits.
        site: An address of the site, or its name; other addresses in the sitemaps are ignored.
        max_bytes: Bytes of the addresses together, each with that of its sitemap.

    Attributes:
        failed: The sitemaps that could not be read, with the reason.
    """

    def __init__(self, client: RetryingClient, check: Check, options: CrawlOptions, site: str, max_bytes: int) -> None:
        self._client, self._check, self._options, self._site = client, check, options, site
        self._max_addresses = max(MAX_ADDRESSES, 2 * options.max_pages)
        self._files: set[str] = set()
        self._addresses = self._left_out = 0
        self._room = max_bytes
        self._example = ""
        self.failed: list[tuple[str, str]] = []

    async def read(self, url: str, add: Callable[[str, list[str]], None], *, is_guess: bool = False) -> None:
        """Read a sitemap and those it names, and hand over the addresses of each file.

        Args:
            url: The sitemap.
            add: Takes the sitemap's address and the addresses in it.
            is_guess: No file names it, so it may be missing.
        """
        waiting = deque([(url, 0)])
        while waiting:
            sitemap, depth = waiting.popleft()
            if sitemap in self._files:
                continue
            if len(self._files) >= MAX_FILES or self._is_full():
                self._leave_out(1, sitemap)
                continue
            self._files.add(sitemap)
            try:
                is_index, locations = parse_sitemap(await self._fetch(sitemap))
            except Unreadable as error:
                if not (is_guess and sitemap == url):
                    self.failed.append((sitemap, str(error)))
                continue
            addresses = await self._select(locations, sitemap)
            if not is_index:
                add(sitemap, addresses)
            elif depth < _DEEPEST:
                waiting += [(address, depth + 1) for address in addresses]
            else:
                self.failed.append((sitemap, f"is the index of an index, over {_DEEPEST} times"))

    def count_files(self) -> int:
        """Return how many sitemaps were asked for."""
        return len(self._files)

    def list_limits(self) -> list[Limit]:
        """Return the limits that were reached."""
        return [Limit(SITEMAPS, self._max_addresses, self._left_out, self._example)] if self._left_out else []

    def _is_full(self) -> bool:
        return self._addresses >= self._max_addresses or self._room <= 0

    def _leave_out(self, count: int, example: str) -> None:
        self._left_out += count
        self._example = self._example or example

    async def _select(self, locations: Iterator[str], sitemap: str) -> list[str]:
        """Return the site's own addresses, each once, as many as are allowed."""
        selected: dict[str, None] = {}
        elsewhere = 0
        for number, written in enumerate(locations):
            if number % PIECE == 0:
                await asyncio.sleep(0)  # others must go on, and the time for this may be over
            if number >= MAX_ADDRESSES or self._is_full():
                self._leave_out(1, sitemap)
                break
            address = normalise(written, sitemap)
            if address is None:
                continue
            if not same_site(address, self._site):
                elsewhere += 1
            elif address not in selected:
                selected[address] = None
                self._addresses += 1
                self._room -= len(address) + len(sitemap)
        if elsewhere and not selected:
            addresses = format_count(elsewhere, "address", "addresses")
            self.failed.append((sitemap, f"it names {addresses} of other sites and none of this one"))
        return sorted(selected)

    async def _fetch(self, url: str) -> bytes:
        """Return a sitemap, unpacked."""

        def make(address: str) -> Request:
            return make_file_request(address, self._options, self._options.site or self._site, MAX_BYTES)

        refusal = await self._check(url)
        if refusal is not None:
            raise Unreadable(refusal[1])
        try:
            response = await fetch_file(self._client, url, make, check=self._check)
            if not response.ok:
                raise Unreadable(describe_status(response))
            is_packed = response.body.startswith(b"\x1f\x8b")
            return unpack_gzip(response.body, MAX_BYTES) if is_packed else response.body
        except FetchError as error:
            raise Unreadable(error.reason) from error


def parse_sitemap(data: bytes) -> tuple[bool, Iterator[str]]:
    """Return whether a sitemap is an index of others, and the addresses in it.

    Raises:
        Unreadable: It is no sitemap, or it declares entities.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        data = data.decode("utf-16", "replace").encode()
    head = data[:10_000]
    root = _ROOT.search(head)
    if _ENTITY.search(head if root is None else data[: root.start()]):
        raise Unreadable("declares entities, which are not read")
    if root is not None:
        return root[1].lower() == b"sitemapindex", _find_locations(data, root.end())
    if data.removeprefix(b"\xef\xbb\xbf").lstrip()[:4].lower() == b"http":
        return False, _find_lines(data)
    raise Unreadable("is not a sitemap")


def _find_locations(data: bytes, start: int) -> Iterator[str]:
    for match in _LOCATION.finditer(data, start):
        yield decode_references((match[1] or match[2]).decode("utf-8", "replace"))


def _find_lines(data: bytes) -> Iterator[str]:
    position = 0
    while position < len(data):
        end = data.find(b"\n", position)
        end = end if end >= 0 else len(data)
        if line := data[position : min(end, position + 8_000)].strip():
            yield line.decode("utf-8-sig", "replace")
        position = end + 1
