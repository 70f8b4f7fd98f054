"""The result of an audit over all pages: the worst, the commonest gaps, duplicates, orphans, thin and flagged pages."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.pages.descriptions import LABELS
from steelyard.pages.html.site import OTHERS
from steelyard.scoring.finding import WORDING
from steelyard.site.duplicates import Group
from steelyard.site.model import DUPLICATE, LINK, SCORED, STATES
from steelyard.support.quantile import quantile

if TYPE_CHECKING:
    from steelyard.site.store import VisitRow

BINS = 10  # of the distribution


@dataclass(frozen=True, slots=True)
class PageLine:
    """A scored page in one line."""

    url: str
    score: float
    words: int
    language: str
    title: str | None
    guard: str | None
    flagged: tuple[str, ...]
    change: str  # the change that would gain most, with its gain
    is_thin: bool
    is_orphan: bool


@dataclass(frozen=True, slots=True)
class Gap:
    """A change that is suggested on some of the pages, and its mean gain in points."""

    component: str
    pages: int
    gain: float

    @property
    def topic(self) -> str:
        """The subject of the change, in one word."""
        return WORDING[self.component].topic

    @property
    def about(self) -> str:
        """The component as people know it."""
        return LABELS.get(self.component) or OTHERS.get(self.component, self.component)


@dataclass(frozen=True, slots=True)
class Unscored:
    """An address without a score, why, and the page that names it."""

    state: str
    reason: str
    url: str
    found_on: str | None = None


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

    @property
    def scores(self) -> list[float]:
        """The scores, lowest first."""
        return [page.score for page in self.pages]

    @property
    def thin(self) -> list[PageLine]:
        """Pages so short that their length limits the score."""
        return [page for page in self.pages if page.is_thin]

    @property
    def orphans(self) -> list[PageLine]:
        """Pages that a sitemap or a list names and no page links to."""
        return [page for page in self.pages if page.is_orphan]

    @property
    def flagged(self) -> list[PageLine]:
        """Pages that a detector flags."""
        return [page for page in self.pages if page.flagged]

    def group_others(self) -> list[tuple[int, Unscored]]:
        """Return the reasons why addresses have no score: how many share each, the commonest first, and an example."""
        counts = Counter(address.reason for address in self.others)
        first = {address.reason: address for address in reversed(self.others)}
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
            "flagged": len(self.flagged),
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
                {"component": g.component, "change": g.topic, "pages": g.pages, "gain": g.gain} for g in self.gaps
            ],
            "duplicates": [
                {"kept": group.kept, "others": [{"url": url, "reason": reason} for url, reason in group.others]}
                for group in self.groups
            ],
            "thin_pages": [page.url for page in self.thin],
            "orphan_pages": [page.url for page in self.orphans],
            "flagged_pages": {page.url: list(page.flagged) for page in self.flagged},
            "not_scored": [asdict(address) for address in self.others],
            "end": dict(self.end),
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
    gains: defaultdict[str, list[float]] = defaultdict(list)
    for visit in visits:
        summary.states[visit.state] += 1
        if visit.state != SCORED or visit.page is None:
            if visit.state != DUPLICATE:  # those are in the groups
                link = visit.link
                summary.others.append(Unscored(visit.state, visit.reason or visit.state, link.url, link.found_on))
            continue
        line = _describe(visit, visit.page, crawled=crawled)
        summary.pages.append(line)
        summary.languages[line.language] += 1
        for component, gain in {(m["component"], m["gain"]) for m in visit.page["moves"]}:
            gains[component].append(gain)
    summary.pages.sort(key=lambda page: (page.score, page.url))
    summary.others.sort(key=lambda address: (address.url, address.reason))
    gaps = [Gap(name, len(values), mean(sorted(values))) for name, values in gains.items()]
    summary.gaps = sorted(gaps, key=lambda gap: (-gap.pages, gap.component))
    return summary


def _describe(visit: VisitRow, page: Mapping[str, Any], *, crawled: bool) -> PageLine:
    moves = sorted(page["moves"], key=lambda m: -m["gain"])
    return PageLine(
        url=visit.link.url,
        score=page["score"],
        words=page["words"],
        language=page["language"],
        title=page["title"],
        guard=page["guard"],
        flagged=tuple(sorted(visit.flags)),
        change=f"{WORDING[moves[0]['component']].topic} {moves[0]['gain']:+.1f}" if moves else "",
        is_thin=page["cap"] is not None,
        is_orphan=crawled and visit.link.origin != LINK and visit.link.depth > 0 and not visit.linked,
    )
