"""The end of a crawl: its limits, delays and failed sitemaps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from steelyard.site.access.site_access import SiteAccess

# Limits of a crawl.
PAGES, DEPTH, TIME = "pages", "depth", "time"
DIGITS, QUERIES, LINKS, WAITING, SITEMAPS = "digits", "queries", "links", "waiting", "sitemaps"
ROBOTS, WILDCARDS, LINK_BYTES, BYTES = "robots", "wildcards", "link bytes", "bytes"
PREPARATION = "preparation"

_SENTENCES = {
    PAGES: "the limit of pages ({most}) was reached; known and not visited: {left}",
    DEPTH: "the limit of clicks from the start ({most}) was reached; known and deeper: {left}",
    TIME: "the limit of seconds ({most}) was reached; known and not visited: {left}",
    DIGITS: "over {most} addresses differ only in digits; not visited: {left}",
    QUERIES: "over {most} addresses differ only in their queries; not visited: {left}",
    LINKS: "pages with over {most} links, of which the others were not followed: {left}",
    LINK_BYTES: "pages whose links take over {most} bytes, of which the others were not followed: {left}",
    BYTES: "the addresses take over {most} bytes; pages whose links were not read: {left}",
    WAITING: "over {most} addresses were waiting; pages whose links were not read: {left}",
    SITEMAPS: "the sitemaps hold over {most} addresses, too long ones or too many files; not read on: {left}",
    PREPARATION: "robots.txt and the sitemaps were not read within {most} seconds; sitemaps asked for by then: {left}",
    ROBOTS: "over {most} bytes of rules in a robots.txt; files of which the rest was not read: {left}",
    WILDCARDS: "over {most} wildcards in a robots.txt; files whose other rules forbid more than they say: {left}",
}
KINDS = tuple(_SENTENCES)


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit that was reached.

    Attributes:
        kind: `pages`, `depth`, `time`: the crawl ended there. `digits`, `queries`: addresses that differ only in
            their digits or queries. `links`, `link bytes`: pages with more or longer links than are read. `waiting`,
            `bytes`: pages whose links were not read, because too many addresses were waiting already, or those that
            are known take too many bytes. `sitemaps`: more than are read. `preparation`: the visits began before all
            sitemaps were read. `robots`: a robots.txt that is longer than what is read. `wildcards`: one with more
            wildcards than can be asked.
        most: The limit.
        left: How many addresses were left out. For `links`, `link bytes`, `waiting` and `bytes`: how many pages; for
            `robots` and `wildcards`: how many files; for `preparation`: how many sitemaps had been asked for.
        example: One of them, where there is one; for `digits` and `queries`, there is one Limit per pattern.
    """

    kind: str
    most: float
    left: int
    example: str = ""

    def describe(self) -> str:
        """Return the limit as a sentence."""
        sentence = _SENTENCES[self.kind].format(most=f"{self.most:,.0f}", left=f"{self.left:,}")
        return f"{sentence}, for example {self.example}" if self.example else sentence


@dataclass(frozen=True, slots=True)
class CrawlSummary:
    """The end of a crawl.

    Attributes:
        finished: Addresses whose outcome is known.
        known: Addresses that are known.
        limits: The limits that were reached.
        delays: Seconds between two requests that robots.txt asked for and that were kept, by host.
        shortened_delays: Delays that robots.txt asked for and that were longer than the longest kept, by host.
        failed_sitemaps: Sitemaps that could not be read, with the reason.
        access: What the site says to agents.
    """

    finished: int
    known: int
    limits: tuple[Limit, ...]
    delays: Mapping[str, float]
    shortened_delays: Mapping[str, float]
    failed_sitemaps: tuple[tuple[str, str], ...]
    access: SiteAccess = field(default_factory=SiteAccess)

    def list_notes(self) -> list[str]:
        """Return what the user should know, as sentences."""
        notes = [limit.describe() for limit in self.limits]
        for host, seconds in sorted(self.delays.items()):
            asked = self.shortened_delays.get(host)
            longer = f"; it asks for {asked:,.0f} s, and no crawl waits so long" if asked is not None else ""
            notes.append(f"{seconds:g} s between two requests to {host}, because its robots.txt asks for it{longer}")
        notes += [f"the sitemap {url} could not be read: {reason}" for url, reason in self.failed_sitemaps]
        return notes

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as JSON data."""
        return {
            "finished": self.finished,
            "known": self.known,
            "limits": [asdict(limit) for limit in self.limits],
            "delays": dict(self.delays),
            "shortened_delays": dict(self.shortened_delays),
            "failed_sitemaps": [{"url": url, "reason": reason} for url, reason in self.failed_sitemaps],
            "access": self.access.to_dict(),
        }
