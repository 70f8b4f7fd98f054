"""From an address to its page: redirects, each of them checked, and the reason where there is no page."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from steelyard.errors import MissingExtra
from steelyard.site.addresses import normalise, same_site
from steelyard.site.crawl.links import PageLinks, read_links
from steelyard.site.crawl.options import CrawlOptions
from steelyard.site.model import EXCLUDED, FAILED, LISTED, NOT_MEASURED, PAGE_TYPES, START, Fetched, Link
from steelyard.support.http.guard import AddressGuard
from steelyard.support.http.messages import (
    OTHER_TYPE,
    PRIVATE,
    REDIRECTED,
    REDIRECTS,
    TOO_LARGE,
    UNPACKABLE,
    FetchError,
    Request,
    Response,
)
from steelyard.support.http.pace import Pace
from steelyard.support.http.retrying import BUSY, RetryingClient, RetryPolicy
from steelyard.text.html import is_html

if TYPE_CHECKING:
    from steelyard.support.http.client import Client

MAX_REDIRECTS = 10
MAX_FILE_REDIRECTS = 5  # of robots.txt, as its standard says, and of sitemaps
_MAX_HEADER = 8_000  # characters of a header that are kept
_MAX_REFRESH = 5  # seconds; a page that waits longer is meant to be read
_ACCEPT = "text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9"
_OUTCOMES = {PRIVATE: EXCLUDED, TOO_LARGE: NOT_MEASURED, UNPACKABLE: NOT_MEASURED, OTHER_TYPE: NOT_MEASURED}

Refusal = tuple[str, str]  # an outcome and its reason
Check = Callable[[str], Awaitable[Refusal | None]]


async def allow_everything(_url: str) -> Refusal | None:
    """Refuse nothing."""
    return None


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
    return asyncio.run(_fetch(Link(address, origin=START), options))


async def _fetch(link: Link, options: CrawlOptions) -> Fetched:
    try:
        client = make_client(options)
    except ModuleNotFoundError as error:
        raise MissingExtra("html", error.name or "httpcore") from error
    seconds = 3 * options.timeout if options.max_seconds is None else options.max_seconds
    try:
        async with asyncio.timeout(seconds):
            retrying = RetryingClient(client, RetryPolicy(options.retries), Pace())
            page = await Fetcher(retrying, options, stay=False).fetch(link)
            return page.fetched
    except TimeoutError:
        return Fetched(link, link.url, outcome=FAILED, reason=f"timed out after {seconds:g} s")
    finally:
        await client.close()


def make_client(options: CrawlOptions) -> Client:
    """Return the client of a crawl; raise ModuleNotFoundError where its packages are not installed."""
    from steelyard.support.http.client import Client

    guard = AddressGuard(options.private_hosts, allow_private=options.allow_private)
    return Client(guard, timeout=options.timeout, idle=options.concurrency)


def make_file_request(url: str, options: CrawlOptions, site: str, max_bytes: int, *, cut: bool = False) -> Request:
    """Return the request for a robots.txt or a sitemap, which may be of any type."""
    return Request(url, max_bytes, _choose_headers(url, options, site, "*/*"), cut=cut)


def _choose_headers(url: str, options: CrawlOptions, site: str, accept: str) -> dict[str, str]:
    """Return the headers to send. The user's own go to the site only, and not in the clear where it has TLS."""
    headers = {"User-Agent": options.user_agent, "Accept": accept}
    if not same_site(url, site) or (site.startswith("https://") and not url.startswith("https://")):
        return headers
    own = {name.lower() for name in options.headers}
    return {name: value for name, value in headers.items() if name.lower() not in own} | dict(options.headers)


async def fetch_file(
    client: RetryingClient,
    url: str,
    make: Callable[[str], Request],
    *,
    check: Check = allow_everything,
    retry_names: bool = True,
) -> Response:
    """Return the response to the request for a robots.txt or a sitemap, after its redirects.

    Args:
        client: Sends the requests.
        url: Where to begin; it has been checked.
        make: Returns the request for an address.
        check: Says why an address must not be asked for.
        retry_names: Ask again when the name of the host is not known.

    Raises:
        FetchError: There is none; of the kind REDIRECTED where a redirect is not followed.
    """
    followed = 0

    async def follow(request: Request, response: Response) -> Request | None:
        nonlocal followed
        if response.status not in REDIRECTS:
            return None
        target = normalise(response.headers.get("location", ""), request.url, keep_session=True)
        if target is None:
            raise FetchError("redirects to something that is no web address", REDIRECTED)
        followed += 1
        if followed > MAX_FILE_REDIRECTS:
            raise FetchError(f"redirects over {MAX_FILE_REDIRECTS} times", REDIRECTED)
        refusal = await check(target)
        if refusal is not None:
            raise FetchError(refusal[1], REDIRECTED)
        return make(target)

    return await client.send(make(url), follow=follow, retry_names=retry_names)


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A page with its links, and whether they may be followed."""

    fetched: Fetched
    links: PageLinks | None = None


class Fetcher:
    """Fetches the pages of addresses.

    Args:
        client: Sends the requests.
        options: The limits.
        check: Says why an address must not be asked for, robots.txt for example.
        stay: Refuse redirects to other sites.
    """

    def __init__(
        self, client: RetryingClient, options: CrawlOptions, *, check: Check = allow_everything, stay: bool = True
    ) -> None:
        self._client, self._options, self._check, self._stay = client, options, check, stay
        self._product = name_product(options.user_agent)

    async def fetch(self, link: Link) -> FetchedPage:
        """Return the page of an address, or the reason why there is none; never raises for what a server does."""
        hops = [link.url]
        refusal = await self._check(link.url)
        if refusal is not None:
            return _refuse(link, hops, refusal)
        page: FetchedPage | None = None

        async def follow(request: Request, response: Response) -> Request | None:
            nonlocal page
            page = self._read(link, hops, response)
            target = _find_target(page, response, request.url)
            if target is None:
                return None
            refusal = self._check_target(target, link, hops)
            if refusal is not None:
                outcome, reason = refusal
                page = FetchedPage(replace(page.fetched, body=b"", outcome=outcome, reason=reason))
                return None
            hops.append(target)
            refusal = await self._check(target)
            if refusal is not None:
                page = _refuse(link, hops, refusal)
                return None
            return self._make_request(target, link)

        request, retry_names = self._make_request(link.url, link), link.origin not in (START, LISTED)
        try:
            await self._client.send(request, follow=follow, retry_names=retry_names)
        except FetchError as error:
            return _fail(link, hops, error)
        return page or FetchedPage(_start_answer(link, hops))

    def _make_request(self, url: str, link: Link) -> Request:
        options = self._options
        headers = _choose_headers(url, options, options.site or link.url, _ACCEPT)
        return Request(url, options.max_bytes, headers, types=PAGE_TYPES)

    def _read(self, link: Link, hops: list[str], response: Response) -> FetchedPage:
        fetched = replace(_start_answer(link, hops), status=response.status)
        if response.status in BUSY:
            reason = _add_redirect(describe_status(response), hops)
            return FetchedPage(replace(fetched, outcome=FAILED, reason=reason))
        fetched = replace(
            fetched,
            content_type=response.content_type,
            charset=response.charset,
            body=response.body,
            x_robots_tag=response.headers.get("x-robots-tag", "")[:_MAX_HEADER],
            link_header=response.headers.get("link", "")[:_MAX_HEADER],
        )
        if not response.ok:
            return FetchedPage(replace(fetched, outcome=FAILED, reason=describe_status(response)))
        links = None
        if not response.content_type or is_html(content_type=response.content_type):
            links = read_links(response.body, fetched.charset, self._product)
        return FetchedPage(fetched, links)

    def _check_target(self, target: str, link: Link, hops: list[str]) -> Refusal | None:
        """Return why a redirect is not followed."""
        if target == "":
            return FAILED, "redirects to something that is no web address"
        if self._stay and not same_site(target, link.url) and not same_site(target, self._options.site):
            return EXCLUDED, f"redirects to another site ({urlsplit(target).hostname})"
        if target in hops:
            return FAILED, "redirects in a loop"
        if len(hops) > MAX_REDIRECTS:
            return FAILED, f"redirects over {MAX_REDIRECTS} times"
        return None


def name_product(user_agent: str) -> str:
    """Return the word by which robots rules name a user agent."""
    return user_agent.partition("/")[0].strip().lower()


def describe_status(response: Response) -> str:
    """Return the status as a reason, and how often it came where another might have come."""
    again = f", {response.attempts} times" if response.status in BUSY and response.attempts > 1 else ""
    return response.describe_status() + again


def find_outcome(error: FetchError) -> str:
    """Return the outcome of an address that could not be fetched."""
    return _OUTCOMES.get(error.kind, FAILED)


def _start_answer(link: Link, hops: list[str]) -> Fetched:
    return Fetched(link=link, url=normalise(hops[-1]) or hops[-1])


def _refuse(link: Link, hops: list[str], refusal: Refusal) -> FetchedPage:
    outcome, reason = refusal
    return FetchedPage(replace(_start_answer(link, hops), outcome=outcome, reason=_add_redirect(reason, hops)))


def _fail(link: Link, hops: list[str], error: FetchError) -> FetchedPage:
    response = error.response
    reason = f"{error.reason}, not a page" if error.kind == OTHER_TYPE else error.reason
    failed = replace(
        _start_answer(link, hops),
        status=response.status if response is not None else None,
        content_type=response.content_type if response is not None else "",
        outcome=find_outcome(error),
        reason=_add_redirect(reason, hops),
    )
    return FetchedPage(failed)


def _add_redirect(reason: str, hops: list[str]) -> str:
    return reason if len(hops) == 1 else f"redirects to {hops[-1]}: {reason}"


def _find_target(page: FetchedPage, response: Response, url: str) -> str | None:
    """Return where a response leads: an address, an empty string for a broken one, None for nowhere else."""
    if response.status in REDIRECTS:
        return normalise(response.headers.get("location", ""), url, keep_session=True) or ""
    refresh = page.links.refresh if page.links else None
    if refresh is None or refresh[0] > _MAX_REFRESH:
        return None
    target = normalise(refresh[1], url, keep_session=True)
    return target if target != url else None  # a page that reloads itself, or leads to no web address, is a page
