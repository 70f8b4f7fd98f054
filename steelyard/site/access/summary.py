"""The access to all pages of an audit: how many pass each check, and how many each agent may ask for."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from steelyard.site.access.agents import PURPOSES, Agent, find_date, load_agents
from steelyard.site.access.page_access import CHECKS, PageAccess
from steelyard.site.access.site_access import ABSENT, LLMS_NOTE, READ, LlmsTxt, SiteAccess
from steelyard.support.formatting import format_count

FAULTS = ("index", "snippet", "canonical")  # checks whose reasons begin with what is wrong, up to a colon


@dataclass(frozen=True, slots=True)
class CheckCount:
    """How many of the pages to which a check applies pass it, and why the others do not, by address."""

    name: str
    passed: int
    failed: Mapping[str, str]

    @property
    def about(self) -> str:
        """What a page that passes has."""
        return CHECKS[self.name]

    @property
    def pages(self) -> int:
        """How many pages it applies to."""
        return self.passed + len(self.failed)

    @property
    def faults(self) -> dict[str, list[str]]:
        """The pages that fail it by what is wrong, the commonest first; reasons begin with that."""
        faults: defaultdict[str, list[str]] = defaultdict(list)
        for url, reason in self.failed.items():
            faults[reason.partition(": ")[0] if self.name in FAULTS else self.name].append(url)
        return dict(sorted(faults.items(), key=lambda entry: (-len(entry[1]), entry[0])))


@dataclass(frozen=True, slots=True)
class AgentCount:
    """How many of the pages an agent may ask for by robots.txt, and whether that names it."""

    agent: Agent
    allowed: int
    pages: int
    is_named: bool

    @property
    def is_limited(self) -> bool:
        """Whether there is a page that it must not ask for."""
        return self.allowed < self.pages


@dataclass(frozen=True)
class AccessSummary:
    """The access to the pages of one audit.

    Attributes:
        pages: How many pages were checked.
        passing: How many pass every check that applies to them.
        checks: Each check that applies to a page.
        agents: Each agent, where a robots.txt was read or is known to be absent.
        lost: Pages whose canonical address the audit could not read: both addresses, and what became of the second.
        site: What the site says as a whole.
    """

    pages: int = 0
    passing: int = 0
    checks: tuple[CheckCount, ...] = ()
    agents: tuple[AgentCount, ...] = ()
    lost: tuple[tuple[str, str, str], ...] = ()
    site: SiteAccess = field(default_factory=SiteAccess)

    @property
    def limited(self) -> list[AgentCount]:
        """The agents that must not ask for some of the pages."""
        return [agent for agent in self.agents if agent.is_limited]

    def to_dict(self) -> dict[str, Any]:
        """Return the access for JSON."""
        agents = [
            {
                "name": one.agent.name, "owner": one.agent.owner, "purpose": one.agent.purpose,
                "source": one.agent.source, "named": one.is_named, "allowed": one.allowed, "pages": one.pages,
            }
            for one in self.agents
        ]  # fmt: skip
        checks = [
            {"name": c.name, "about": c.about, "passed": c.passed, "pages": c.pages, "failed": dict(c.failed)}
            for c in self.checks
        ]
        entry = {"pages": self.pages, "passing": self.passing, "checks": checks, "agents_as_of": find_date()}
        lost = [{"url": url, "canonical": canonical, "outcome": outcome} for url, canonical, outcome in self.lost]
        return {**entry, "agents": agents, "lost_canonicals": lost, **self.site.to_dict()}


def summarise_access(
    pages: Iterable[tuple[str, PageAccess]], site: SiteAccess, lost: Iterable[tuple[str, str, str]] = ()
) -> AccessSummary:
    """Return the access to some pages, each with its address."""
    passed: Counter[str] = Counter()
    failed: defaultdict[str, dict[str, str]] = defaultdict(dict)
    forbidden: Counter[str] = Counter()
    total = passing = known = 0
    for url, access in pages:
        total += 1
        passing += not access.failed
        passed.update(access.passed)
        for name, reason in access.failed.items():
            failed[name][url] = reason
        if access.forbidden is not None:
            known += 1
            forbidden.update(access.forbidden)
    checks = (CheckCount(name, passed[name], failed[name]) for name in CHECKS)
    named = {name for robots in site.robots for name in robots.named}
    agents = (AgentCount(a, known - forbidden[a.name], known, a.name in named) for a in load_agents() if known)
    return AccessSummary(
        total, passing, tuple(check for check in checks if check.pages), tuple(agents), tuple(lost), site
    )


def describe_passing(access: AccessSummary) -> str:
    """Return the ratio of pages that pass, in one line."""
    return f"{access.passing:,} of {format_count(access.pages, 'page')} pass all checks that apply to them"


def describe_robots(access: AccessSummary) -> list[str]:
    """Return what robots.txt means for the agents, as sentences."""
    unread = (robots for robots in access.site.robots if robots.state not in (READ, ABSENT))
    lines = [f"{robots.origin}: no robots.txt was read: {robots.reason}" for robots in unread]
    unclear = sorted({name for robots in access.site.robots for name in robots.unclear})
    if unclear:
        lines.append(f"too many wildcards for {', '.join(unclear)}: more is taken for forbidden than is")
    if not access.agents:
        is_read = any(robots.state in (READ, ABSENT) for robots in access.site.robots)
        why = "no page was read" if is_read else "robots.txt was not read"
        return [*lines, f"{why}, so what agents may ask for is not known"]
    total, free = len(access.agents), len(access.agents) - len(access.limited)
    list_name = f"{total} known AI agents (list of {find_date()})"
    lines.append(f"robots.txt lets {free} of {list_name} ask for all {format_count(access.agents[0].pages, 'page')}")
    return lines


def describe_purposes(access: AccessSummary) -> dict[str, str]:
    """Return how many agents of each purpose may ask for all pages."""
    counts: dict[str, list[bool]] = {words: [] for words in PURPOSES.values()}
    for one in access.agents:
        counts[one.agent.aim].append(not one.is_limited)
    return {purpose: f"{sum(free)} of {len(free)}" for purpose, free in counts.items() if free}


def describe_llms(llms: LlmsTxt) -> str:
    """Return whether there is an llms.txt."""
    if llms.state == READ:
        return f"llms.txt: there is one ({LLMS_NOTE})"
    if llms.state == ABSENT:
        return f"llms.txt: there is none ({LLMS_NOTE})"
    return f"llms.txt: not known{f' ({llms.reason})' if llms.reason else ''}"
