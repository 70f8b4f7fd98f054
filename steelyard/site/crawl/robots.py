"""robots.txt: what may be asked for, how often, and where the sitemaps are."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from urllib.parse import urlsplit

from steelyard.site.addresses import normalise
from steelyard.site.crawl.attempts import Attempts
from steelyard.site.crawl.end import ROBOTS, SITEMAPS, WILDCARDS, Limit
from steelyard.site.crawl.exchange import Answer, ExchangeFailed, Wanted, describe_status
from steelyard.site.crawl.fetcher import Refusal, may_see_headers, name_product
from steelyard.site.crawl.options import CrawlOptions
from steelyard.site.crawl.path_rules import MAX_WILDCARDS
from steelyard.site.crawl.robots_file import MAX_BYTES, MAX_SITEMAPS, RobotsFile, parse_robots
from steelyard.site.crawl.sender import Sender
from steelyard.site.model import EXCLUDED, FAILED

LONGEST_DELAY = 60.0
_MOST_REDIRECTS = 5
# Rules that are kept at a time; those of further hosts are read again when needed. A site has four origins, and rules
# may take some megabytes.
_MAX_ORIGINS = 16
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class _Rules:
    """The rules of one origin; `refusal` where they could not be read."""

    parsed: RobotsFile | None = None
    refusal: Refusal | None = None


class Robots:
    """Reads robots.txt once per scheme, host and port, and answers from it.

    Attributes:
        delays: Seconds between two requests that were asked for and are kept, by host.
        shortened_delays: What was asked for where it is longer than a minute, by host.
        limits: The limits that were reached, by kind and host.
    """

    def __init__(self, attempts: Attempts, sender: Sender, options: CrawlOptions) -> None:
        self._attempts, self._sender, self._options = attempts, sender, options
        self._product = name_product(options.user_agent)
        self._rules: dict[str, asyncio.Task[_Rules]] = {}
        self.delays: dict[str, float] = {}
        self.shortened_delays: dict[str, float] = {}
        self.limits: dict[tuple[str, str], Limit] = {}

    async def check(self, url: str) -> Refusal | None:
        """Return why an address must not be asked for."""
        if not self._options.obey_robots:
            return None
        rules = await self._find(url)
        if rules.refusal is not None:
            return rules.refusal
        if rules.parsed is not None and not rules.parsed.allow(url):
            return EXCLUDED, "forbidden by robots.txt"
        return None

    async def list_sitemaps(self, url: str) -> list[str]:
        """Return the sitemaps that the robots.txt of an address names."""
        rules = await self._find(url) if self._options.obey_robots else _Rules()
        if rules.parsed is None:
            return []
        named = (normalise(sitemap, url, keep_session=True) for sitemap in rules.parsed.sitemaps)
        return sorted({sitemap for sitemap in named if sitemap})

    async def _find(self, url: str) -> _Rules:
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        reading = self._rules.pop(origin, None)
        if reading is None and len(self._rules) >= _MAX_ORIGINS:
            del self._rules[next(iter(self._rules))]  # the one that was not needed for the longest time
        self._rules[origin] = reading or asyncio.create_task(self._read(origin))
        # Those who wait share one request, and it goes on when one of them is cancelled.
        return await asyncio.shield(self._rules[origin])

    async def _read(self, origin: str) -> _Rules:
        url, retries = f"{origin}/robots.txt", self._attempts.allow_retries()
        for _ in range(_MOST_REDIRECTS + 1):
            try:
                answer = await self._attempts.send(self._want(url, origin), retries, retry_names=False)
            except ExchangeFailed as failure:
                if failure.outcome == EXCLUDED or failure.no_name:
                    return _Rules(refusal=(failure.outcome, failure.reason))
                return _Rules(refusal=_refuse(failure.reason))
            if answer.status not in _REDIRECTS:
                return self._judge(answer, origin)
            target = normalise(answer.headers.get("location", ""), url, keep_session=True)
            if target is None:
                break
            url = target
        return _Rules()  # as the standard says of over five redirects: there is none

    def _want(self, url: str, origin: str) -> Wanted:
        own_headers = may_see_headers(url, self._options.site or origin)
        return Wanted(url, own_headers, MAX_BYTES + 1, cut=True, any_type=True)

    def _judge(self, answer: Answer, origin: str) -> _Rules:
        """Return what an answer means: an error of ours allows everything, one of the server nothing."""
        if 400 <= answer.status < 500:
            return _Rules()
        if not 200 <= answer.status < 300:
            return _Rules(refusal=_refuse(describe_status(answer.status)))
        parsed = parse_robots(answer.body, self._product)
        host = urlsplit(origin).netloc
        if parsed.delay > 0:
            if parsed.delay > LONGEST_DELAY:
                self.shortened_delays[host] = parsed.delay
            self.delays[host] = max(self._options.delay, min(LONGEST_DELAY, parsed.delay))
            self._sender.set_delay(origin, self.delays[host])
        self._note_limits(parsed, f"{origin}/robots.txt")
        return _Rules(parsed)

    def _note_limits(self, parsed: RobotsFile, url: str) -> None:
        reached = (
            (parsed.is_cut, Limit(ROBOTS, MAX_BYTES, 1, url)),
            (parsed.rules.is_simplified, Limit(WILDCARDS, MAX_WILDCARDS, 1, url)),
            (parsed.left_sitemaps, Limit(SITEMAPS, MAX_SITEMAPS, parsed.left_sitemaps, url)),
        )
        self.limits |= {(limit.kind, url): limit for is_reached, limit in reached if is_reached}


def _refuse(reason: str) -> Refusal:
    return FAILED, f"its robots.txt could not be read ({reason}), so nothing may be asked for"
