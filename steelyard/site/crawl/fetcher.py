"""From an address to its page: redirects, each of them checked, and the reason where there is no page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from steelyard.site.addresses import normalise, same_site
from steelyard.site.crawl.attempts import Attempts
from steelyard.site.crawl.exchange import Answer, ExchangeFailed, Wanted, describe_status, read_charset
from steelyard.site.crawl.links import PageLinks, read_links
from steelyard.site.crawl.options import CrawlOptions
from steelyard.site.model import EXCLUDED, FAILED, LISTED, START, Fetched, Link
from steelyard.text.html import is_html

MOST_REDIRECTS = 10
_LONGEST_REFRESH = 5  # seconds; a page that waits longer is meant to be read
_REDIRECTS = frozenset({301, 302, 303, 307, 308})

Refusal = tuple[str, str]  # an outcome and its reason


async def allow_everything(_url: str) -> Refusal | None:
    """Refuse nothing."""
    return None


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """An answer, the links of its page, and whether they may be followed."""

    fetched: Fetched
    links: PageLinks | None = None
    x_robots_tag: str = ""


class Fetcher:
    """Fetches the pages of addresses.

    Args:
        attempts: Sends the requests.
        options: The limits.
        check: Says why an address must not be asked for, robots.txt for example.
        stay: Refuse redirects to other sites.
    """

    def __init__(
        self,
        attempts: Attempts,
        options: CrawlOptions,
        *,
        check: Callable[[str], Awaitable[Refusal | None]] = allow_everything,
        stay: bool = True,
    ) -> None:
        self._attempts, self._options, self._check, self._stay = attempts, options, check, stay
        self._product = name_product(options.user_agent)

    async def fetch(self, link: Link) -> FetchedPage:
        """Return the page of an address, or the reason why there is none; never raises for what a server does."""
        url, hops, retries = link.url, [link.url], self._attempts.allow_retries()
        while True:
            fetched = Fetched(link=link, url=normalise(url) or url, redirects=tuple(hops[1:]))
            refusal = await self._check(url)
            if refusal is not None:
                outcome, reason = refusal
                return FetchedPage(replace(fetched, outcome=outcome, reason=_tell_redirect(reason, hops)))
            try:
                answer = await self._attempts.send(
                    self._want(url, link), retries, retry_names=link.origin not in (START, LISTED)
                )
            except ExchangeFailed as failure:
                return FetchedPage(_fail(fetched, failure, hops))
            page = self._read(fetched, answer)
            target = _find_target(page, answer, url)
            if target is None:
                return page
            refused = self._check_target(target, link, hops)
            if refused is not None:
                outcome, reason = refused
                return FetchedPage(replace(page.fetched, body=b"", outcome=outcome, reason=reason))
            hops.append(target)
            url = target

    def _want(self, url: str, link: Link) -> Wanted:
        return Wanted(url, may_see_headers(url, self._options.site or link.url), self._options.max_bytes)

    def _read(self, fetched: Fetched, answer: Answer) -> FetchedPage:
        fetched = replace(
            fetched,
            status=answer.status,
            content_type=answer.content_type,
            charset=read_charset(answer.headers),
            body=answer.body,
        )
        if not 200 <= answer.status < 300:
            return FetchedPage(replace(fetched, outcome=FAILED, reason=describe_status(answer.status)))
        links = None
        if not answer.content_type or is_html(content_type=answer.content_type):
            links = read_links(answer.body, fetched.charset, self._product)
        return FetchedPage(fetched, links, answer.headers.get("x-robots-tag", ""))

    def _check_target(self, target: str, link: Link, hops: list[str]) -> Refusal | None:
        """Return why a redirect is not followed."""
        if target == "":
            return FAILED, "redirects to something that is no web address"
        if self._stay and not same_site(target, link.url) and not same_site(target, self._options.site):
            return EXCLUDED, f"redirects to another site ({urlsplit(target).hostname})"
        if target in hops:
            return FAILED, "redirects in a loop"
        if len(hops) > MOST_REDIRECTS:
            return FAILED, f"redirects over {MOST_REDIRECTS} times"
        return None


def name_product(user_agent: str) -> str:
    """Return the word by which robots rules name a user agent."""
    return user_agent.partition("/")[0].strip().lower()


def may_see_headers(url: str, site: str) -> bool:
    """Return whether the user's own headers may be sent: to the site only, and not in the clear where it has TLS."""
    return same_site(url, site) and not (site.startswith("https://") and not url.startswith("https://"))


def _fail(fetched: Fetched, failure: ExchangeFailed, hops: list[str]) -> Fetched:
    return replace(
        fetched,
        status=failure.status,
        content_type=failure.content_type,
        outcome=failure.outcome,
        reason=_tell_redirect(failure.reason, hops),
    )


def _tell_redirect(reason: str, hops: list[str]) -> str:
    return reason if len(hops) == 1 else f"redirects to {hops[-1]}: {reason}"


def _find_target(page: FetchedPage, answer: Answer, url: str) -> str | None:
    """Return where an answer leads: an address, an empty string for a broken one, None for nowhere else."""
    if answer.status in _REDIRECTS:
        return normalise(answer.headers.get("location", ""), url, keep_session=True) or ""
    refresh = page.links.refresh if page.links else None
    if refresh is None or refresh[0] > _LONGEST_REFRESH:
        return None
    target = normalise(refresh[1], url, keep_session=True)
    return target if target != url else None  # a page that reloads itself, or leads to no web address, is a page
