"""robots.txt: what may be asked for, how often, and where the sitemaps are."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from urllib.parse import urlsplit

from steelyard.site.access.agents import load_agents
from steelyard.site.access.site_access import ABSENT, READ, UNREADABLE, RobotsAccess
from steelyard.site.addresses import normalise
from steelyard.site.crawl.fetch import (
    Refusal,
    describe_status,
    fetch_file,
    find_outcome,
    make_file_request,
    name_product,
)
from steelyard.site.crawl.options import CrawlOptions
from steelyard.site.crawl.robots_file import (
    MAX_BYTES,
    MAX_SITEMAPS,
    MAX_WILDCARDS,
    AgentRules,
    PathRules,
    RobotsFile,
    find_path,
    parse_agents,
    parse_robots,
)
from steelyard.site.crawl.summary import ROBOTS, SITEMAPS, WILDCARDS, Limit
from steelyard.site.model import EXCLUDED, FAILED
from steelyard.support.http.messages import NO_NAME, PRIVATE, REDIRECTED, FetchError, Request, Response
from steelyard.support.http.pace import Pace
from steelyard.support.http.retrying import BUSY, RetryingClient

MAX_DELAY = 60.0
# Rules that are kept at a time; those of further hosts are read again when needed. A site has four origins, and rules
# may take some megabytes.
_MAX_ORIGINS = 16


_NO_RULES = RobotsFile(PathRules(()))


class Robots:
    """Reads robots.txt once per scheme, host and port, and answers from it.

    Attributes:
        delays: Seconds between two requests that were asked for and are kept, by host.
        shortened_delays: What was asked for where it is longer than a minute, by host.
        limits: The limits that were reached, by kind and host.
        files: What became of the robots.txt of each origin.
    """

    def __init__(self, client: RetryingClient, pace: Pace, options: CrawlOptions) -> None:
        self._client, self._pace, self._options = client, pace, options
        self._product = name_product(options.user_agent)
        self._rules: dict[str, asyncio.Task[RobotsFile | Refusal]] = {}
        self.delays: dict[str, float] = {}
        self.shortened_delays: dict[str, float] = {}
        self.limits: dict[tuple[str, str], Limit] = {}
        self.files: dict[str, RobotsAccess] = {}
        self._agents: dict[str, Mapping[str, AgentRules]] = {}  # by origin; as many as there are rules of ours

    async def check(self, url: str) -> Refusal | None:
        """Return why an address must not be asked for."""
        if not self._options.obey_robots:
            return None
        rules = await self._find(url)
        if not isinstance(rules, RobotsFile):
            return rules
        return None if rules.allow(url) else (EXCLUDED, "forbidden by robots.txt")

    async def list_forbidden(self, url: str) -> tuple[str, ...] | None:
        """Return the known agents that must not ask for an address; None where no robots.txt was read."""
        if not self._options.obey_robots or not isinstance(await self._find(url), RobotsFile):
            return None
        return list_forbidden(self._agents.get(_find_origin(url), {}), url)

    async def list_sitemaps(self, url: str) -> list[str]:
        """Return the sitemaps that the robots.txt of an address names."""
        rules = await self._find(url) if self._options.obey_robots else _NO_RULES
        if not isinstance(rules, RobotsFile):
            return []
        named = (normalise(sitemap, url, keep_session=True) for sitemap in rules.sitemaps)
        return sorted({sitemap for sitemap in named if sitemap})

    async def _find(self, url: str) -> RobotsFile | Refusal:
        """Return the rules of an origin, or the refusal where they could not be read."""
        origin = _find_origin(url)
        reading = self._rules.pop(origin, None)
        if reading is None and len(self._rules) >= _MAX_ORIGINS:
            oldest = next(iter(self._rules))  # the one that was not needed for the longest time
            del self._rules[oldest]
            self._agents.pop(oldest, None)
        self._rules[origin] = reading or asyncio.create_task(self._read(origin))
        # Those who wait share one request, and it goes on when one of them is cancelled.
        return await asyncio.shield(self._rules[origin])

    async def _read(self, origin: str) -> RobotsFile | Refusal:
        def make(url: str) -> Request:
            return make_file_request(url, self._options, self._options.site or origin, MAX_BYTES + 1, cut=True)

        try:
            response = await fetch_file(self._client, f"{origin}/robots.txt", make, retry_names=False)
        except FetchError as error:
            is_absent = error.kind == REDIRECTED  # as the standard says of over five redirects: there is none
            self.files[origin] = RobotsAccess(origin, ABSENT if is_absent else UNREADABLE, error.reason)
            if is_absent:
                return _NO_RULES
            if error.kind in (PRIVATE, NO_NAME):
                return find_outcome(error), error.reason
            return _refuse(error.reason)
        rules = self._judge(response, origin)
        if isinstance(rules, RobotsFile) and response.ok:
            self._agents[origin] = agents = await asyncio.to_thread(parse_for_agents, response.body)
            self.files[origin] = describe_robots(origin, agents)
        else:
            state = UNREADABLE if rules is not _NO_RULES else ABSENT
            self.files[origin] = RobotsAccess(origin, state, describe_status(response))
        return rules

    def _judge(self, response: Response, origin: str) -> RobotsFile | Refusal:
        """Return what a response means: an error of ours allows everything, one of the server nothing."""
        if 400 <= response.status < 500 and response.status not in BUSY:
            return _NO_RULES
        if not response.ok:
            return _refuse(describe_status(response))
        parsed = parse_robots(response.body, self._product)
        host = urlsplit(origin).netloc
        if parsed.delay > 0:
            if parsed.delay > MAX_DELAY:
                self.shortened_delays[host] = parsed.delay
            self.delays[host] = max(self._options.delay, min(MAX_DELAY, parsed.delay))
            self._pace.set_delay(origin, self.delays[host])
        self._note_limits(parsed, f"{origin}/robots.txt")
        return parsed

    def _note_limits(self, parsed: RobotsFile, url: str) -> None:
        reached = (
            (parsed.is_cut, Limit(ROBOTS, MAX_BYTES, 1, url)),
            (parsed.rules.is_simplified, Limit(WILDCARDS, MAX_WILDCARDS, 1, url)),
            (parsed.left_sitemaps, Limit(SITEMAPS, MAX_SITEMAPS, parsed.left_sitemaps, url)),
        )
        self.limits |= {(limit.kind, url): limit for is_reached, limit in reached if is_reached}


def _refuse(reason: str) -> Refusal:
    return FAILED, f"its robots.txt could not be read ({reason}), so nothing may be asked for"


def _find_origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def parse_for_agents(body: bytes) -> Mapping[str, AgentRules]:
    """Return what a robots.txt says to each of the known agents."""
    names = {agent.name: [name.lower() for name in (agent.name, agent.instead) if name] for agent in load_agents()}
    return parse_agents(body, names)


def list_forbidden(agents: Mapping[str, AgentRules], url: str) -> tuple[str, ...]:
    """Return the agents whose rules forbid a normalised address."""
    path = find_path(url)
    decided: dict[int, bool] = {}  # many share the rules for everybody
    for one in agents.values():
        if id(one.rules) not in decided:
            decided[id(one.rules)] = one.rules.allow(path)
    return tuple(name for name, one in agents.items() if not decided[id(one.rules)])


def describe_robots(origin: str, agents: Mapping[str, AgentRules]) -> RobotsAccess:
    """Return what a robots.txt that was read says of the agents."""
    named = tuple(name for name, one in agents.items() if one.is_named)
    unclear = tuple(name for name, one in agents.items() if one.rules.is_simplified)
    return RobotsAccess(origin, READ, "", named, unclear)
