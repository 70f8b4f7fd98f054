"""The result of an audit over all pages: the worst, the commonest gaps, duplicates, orphans, thin and flagged pages."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from steelyard.advice.finding import MIN_GAIN
from steelyard.advice.rules import RULES
from steelyard.components.arithmetic.numbers import mean
from steelyard.pages.descriptions import MAX_SUGGESTIONS
from steelyard.pages.listing import count_ratings
from steelyard.pages.reading import describe_doubt, from_entry
from steelyard.pages.restored import name_rule
from steelyard.site.access.page_access import PageAccess
from steelyard.site.access.site_access import SiteAccess
from steelyard.site.access.summary import AccessSummary, summarise_access
from steelyard.site.duplicates import Group
from steelyard.site.lines import Gap, PageLine, Unscored
from steelyard.site.model import DUPLICATE, EXCLUDED, FAILED, LINK, NOT_MEASURED, SCORED, STATES
from steelyard.support.quantile import quantile

if TYPE_CHECKING:
    from steelyard.site.store import VisitRow

BINS = 10  # of the distribution
# What is kept of the end of an audit, besides what the crawl says: what the site says to agents, and the access logs.
ACCESS, LOGS = "access", "logs"


@dataclass(slots=True)
class Summary:
    """The figures of one audit. Duplicates are listed and counted once in everything else."""

    pages: list[PageLine] = field(default_factory=list)  # the lowest score first
    others: list[Unscored] = field(default_factory=list)
    states: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    gaps: list[Gap] = field(default_factory=list)
    groups: Sequence[Group] = ()
    end: Mapping[str, Any] = field(default_factory=dict)  # what the crawl says at its end: limits, delays, sitemaps
    access: AccessSummary = field(default_factory=AccessSummary)

    @property
    def scores(self) -> list[float]:
        """The scores, lowest first."""
        return [page.score for page in self.pages]

    @property
    def ratings(self) -> dict[str, int]:
        """The number of good, fair and poor pages, and of those that are not compared with others."""
        return count_ratings(page.rating for page in self.pages)

    @property
    def thin(self) -> list[PageLine]:
        """Pages so short that their length limits the score, as far as they were read well."""
        return [page for page in self.pages if page.is_thin]

    @property
    def doubtful(self) -> list[PageLine]:
        """Pages of which it is doubtful that their main text was read."""
        return [page for page in self.pages if page.doubt]

    @property
    def compared(self) -> list[PageLine]:
        """The pages that are ranked: those that were read well and are no listings."""
        return [page for page in self.pages if not page.apart]

    @property
    def apart(self) -> list[PageLine]:
        """The other pages."""
        return [page for page in self.pages if page.apart]

    @property
    def broken(self) -> dict[str, list[Unscored]]:
        """The addresses that failed, by the page that names them, that with most of them first."""
        broken: defaultdict[str, list[Unscored]] = defaultdict(list)
        for other in self.others:
            if other.is_broken:
                broken[other.found_on or ""].append(other)
        return dict(sorted(broken.items(), key=lambda entry: (-len(entry[1]), entry[0])))

    @property
    def unread(self) -> list[Unscored]:
        """The addresses without a score that are no broken links."""
        return [other for other in self.others if not other.is_broken]

    @property
    def orphans(self) -> list[PageLine]:
        """Pages that a sitemap or a list names and no page links to."""
        return [page for page in self.pages if page.is_orphan]

    @property
    def flagged(self) -> list[PageLine]:
        """Pages that a detector flags."""
        return [page for page in self.pages if page.flagged]

    @property
    def logs(self) -> Mapping[str, Any] | None:
        """What access logs say of the pages; None where none were given."""
        return self.end.get(LOGS)

    def group_others(self) -> list[tuple[int, Unscored]]:
        """Return why other addresses have no score: how many share each reason, the commonest first, and an example."""
        counts = Counter(address.reason for address in self.unread)
        first = {address.reason: address for address in reversed(self.unread)}
        return [(count, first[reason]) for reason, count in counts.most_common()]

    def distribution(self) -> list[int]:
        """Return the number of pages in each tenth of the scale."""
        counts = [0] * BINS
        for score in self.scores:
            counts[min(BINS - 1, int(score * BINS // 100))] += 1
        return counts

    def figures(self) -> dict[str, Any]:
        """Return the figures that a history keeps: counts, the mean and the quartiles."""
        scores = self.scores
        quartiles = [quantile(scores, q) for q in (0.25, 0.5, 0.75)] if scores else [None] * 3
        return {
            "addresses": {state: self.states[state] for state in STATES},
            "pages": len(scores),
            "mean": mean(scores) if scores else None,
            "quartiles": quartiles,
            "ratings": self.ratings,
            "flagged": len(self.flagged),
            "doubtful": len(self.doubtful),
            "thin": len(self.thin),
            "orphans": len(self.orphans),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the pages themselves, for JSON."""
        return {
            **self.figures(),
            "distribution": self.distribution(),
            "languages": dict(sorted(self.languages.items())),
            "gaps": [
                {"rule": g.rule, "component": g.component, "change": g.topic, "pages": g.pages, "gain": g.gain}
                for g in self.gaps
            ],
            "duplicates": [
                {"kept": group.kept, "others": [{"url": url, "reason": reason} for url, reason in group.others]}
                for group in self.groups
            ],
            "doubtful_pages": {page.url: page.doubt for page in self.doubtful},
            "thin_pages": [page.url for page in self.thin],
            "orphan_pages": [page.url for page in self.orphans],
            "flagged_pages": {page.url: list(page.flagged) for page in self.flagged},
            "not_scored": [asdict(address) for address in self.others],
            "access": self.access.to_dict(),
            "logs": self.logs,
            "end": {name: value for name, value in self.end.items() if name not in (ACCESS, LOGS)},
        }


def summarise(
    visits: Iterable[VisitRow],
    groups: Sequence[Group] = (),
    end: Mapping[str, Any] | None = None,
    *,
    crawled: bool = True,
) -> Summary:
    """Return the summary of an audit.

    Args:
        visits: Everything that was visited.
        groups: The duplicates.
        end: What the crawl said at its end.
        crawled: Whether links were followed, without which no page is known to be an orphan.
    """
    summary = Summary(groups=groups, end=end or {})
    gains: defaultdict[tuple[str, str], list[float | None]] = defaultdict(list)
    access: list[tuple[str, PageAccess]] = []
    canonicals: list[tuple[str, str]] = []
    outcomes: dict[str, str] = {}  # of addresses without a page
    actions: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for visit in visits:
        summary.states[visit.state] += 1
        if visit.access is not None and (visit.state == SCORED or "scripts" in visit.access.failed):
            access.append((visit.link.url, visit.access))
        if visit.state in (FAILED, NOT_MEASURED, EXCLUDED):
            outcomes[visit.link.url] = visit.outcome
        elif visit.canonical is not None:
            canonicals.append((visit.link.url, visit.canonical))
        if visit.state != SCORED or visit.page is None:
            if visit.state != DUPLICATE:  # those are in the groups
                link = visit.link
                summary.others.append(Unscored(visit.state, visit.reason or visit.state, link.url, link.found_on))
            continue
        line = _describe(visit, visit.page, crawled=crawled)
        summary.pages.append(line)
        summary.languages[line.language] += 1
        for move in visit.page["moves"]:
            gains[name_rule(move), move["component"]].append(move["gain"])
            actions[name_rule(move)][move["action"]] += 1
    lost = {url: (canonical, outcomes[canonical]) for url, canonical in canonicals if canonical in outcomes}
    for number, (url, checks) in enumerate(access):
        if url in lost:
            access[number] = url, checks.fail("canonical", "target broken: {}, {}".format(*lost[url]))
    summary.access = summarise_access(
        sorted(access, key=itemgetter(0)),
        SiteAccess.from_dict(summary.end.get(ACCESS)),
        [(url, *named) for url, named in lost.items()],
    )
    summary.pages.sort(key=lambda page: (page.score, page.url))
    summary.others.sort(key=lambda address: (address.url, address.reason))
    gaps = [
        Gap(
            rule,
            component,
            len(values),
            _average_gain(values),
            math.fsum(v or 0.0 for v in values),
            _pick(actions[rule]),
        )
        for (rule, component), values in gains.items()
    ]
    summary.gaps = sorted(gaps, key=lambda gap: (-gap.pages, gap.rule))
    return summary


def _find_passage(moves: Sequence[Mapping[str, Any]]) -> tuple[int, str, str, str] | None:
    """Return the first suggestion that is about words: its number, these, why, and what to do; None without any."""
    numbered = enumerate(moves, start=1)
    return next(((at, m["quote"], m.get("why", ""), m["action"]) for at, m in numbered if m.get("quote")), None)


def _pick(actions: Counter[str]) -> str:
    """Return the commonest, of several equally common ones the first in the alphabet."""
    return min(actions, key=lambda action: (-actions[action], action))


def _describe_change(move: Mapping[str, Any]) -> str:
    gain = move["gain"]
    return RULES[name_rule(move)].topic + (f" {gain:+.1f}" if gain is not None and gain >= MIN_GAIN else "")


def _describe(visit: VisitRow, page: Mapping[str, Any], *, crawled: bool) -> PageLine:
    first = next(iter(page["moves"]), None)
    doubt = describe_doubt(from_entry(page))
    return PageLine(
        url=visit.link.url,
        score=page["score"],
        words=page["words"],
        language=page["language"],
        title=page["title"],
        guard=page["guard"],
        flagged=tuple(sorted(visit.flags)),
        change=_describe_change(first) if first else "",
        rating=page.get("rating"),  # which pages stored by the first version do not have
        is_thin=page["cap"] is not None and not doubt,
        is_orphan=crawled and visit.link.origin != LINK and visit.link.depth > 0 and not visit.linked,
        doubt=doubt,
        why=(first.get("why") or first.get("message", "")) if first else "",
        action=first["action"] if first else "",
        passage=_find_passage(page["moves"][:MAX_SUGGESTIONS]),
        gain=first["gain"] if first else None,
        rules=tuple(name_rule(move) for move in page["moves"]),
        guard_reason=page.get("guard_reason") or "",
        kind=(page.get("kind") or {}).get("name", ""),
        held=page.get("held") or "",
    )


def _average_gain(gains: Sequence[float | None]) -> float | None:
    """Return the mean of the gains that a formula gives; None where it gives none."""
    known = sorted(gain for gain in gains if gain is not None)
    return mean(known) if known else None
