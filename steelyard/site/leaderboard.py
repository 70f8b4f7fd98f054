"""Domains ranked by the scores of their pages, with the intervals and ties of the ranks, and what moves them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

from steelyard.errors import SteelyardError
from steelyard.scoring.domains import PRIOR, STRENGTH, DomainRow, rank_domains, shrink_mean
from steelyard.site.domain_pages import Domain, KeptPage, read_domains
from steelyard.support.artifacts import mark_undefined
from steelyard.support.formatting import format_count

if TYPE_CHECKING:
    from steelyard.site.store import Store

ATTACK_WORDS = 50  # added to each page of a domain, to say what its rank is worth
SMALL = 5  # pages: with fewer the prior weighs more than the pages
MAX_BOARDS = 50
# Two-sided 5% and a power of 80%: the normal quantiles 0.975 and 0.8.
_QUANTILES = 1.959963984540054 + 0.8416212335729143
NOT_KEPT = "texts were not kept (--keep-texts)"
NOT_ASKED = "not measured here; `steelyard leaderboard` does"

ALONE = "there is no other domain to pass"

MeasureGain = Callable[[KeptPage, Domain], float | None]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Standing:
    """One domain of a board.

    `separated` says whether its interval is above that of the next domain; None for the last one or without an
    interval. `pages_needed` is the number of pages of each that would separate it from the next, None with the reason
    in `pages_note`. `examined` is the number of pages that detectors looked at: those that were read well, each content
    once. `rise` is how many ranks it would gain by the attack, None with the reason in `rise_note`.
    """

    row: DomainRow
    edition: str
    audit: int | None
    as_of: date | None
    flagged: int
    examined: int
    separated: bool | None
    pages_needed: int | None
    pages_note: str
    rise: int | None
    rise_note: str
    notes: tuple[str, ...]

    @property
    def manipulation(self) -> float | None:
        """The share of the examined pages that a detector flags; None where none was examined."""
        return self.flagged / self.examined if self.examined else None

    @property
    def flagged_of(self) -> str | None:
        """The same in words."""
        return f"{self.flagged:,} of {self.examined:,}" if self.examined else None

    def to_dict(self) -> dict[str, Any]:
        """Return the domain for JSON."""
        return {
            "rank": self.row.rank,
            "domain": self.row.domain,
            "pages": self.row.n,
            "mean": self.row.mean,
            "shrunk": self.row.shrunk,
            "low": self.row.low,
            "high": self.row.high,
            "separated_from_next": self.separated,
            "pages_to_separate": mark_undefined(self.pages_note) if self.pages_needed is None else self.pages_needed,
            "ranks_gained_by_attack": mark_undefined(self.rise_note) if self.rise is None else self.rise,
            "attack": self.rise_note,
            "manipulation_rate": self.manipulation,
            "flagged_pages": self.flagged,
            "examined_pages": self.examined,
            "edition": self.edition,
            "audit": self.audit,
            "as_of": None if self.as_of is None else self.as_of.isoformat(),
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class Board:
    """Domains that were scored in the same way, by rank."""

    edition: str
    rows: tuple[Standing, ...]


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """One board for each scoring: domains under different editions are never ranked against each other."""

    boards: tuple[Board, ...]

    @property
    def notes(self) -> list[str]:
        """Warnings about the whole."""
        notes = []
        if len(self.boards) > 1:
            notes.append(
                f"{len(self.boards)} tables: these domains were scored in different ways (edition, weights, language "
                f"data or extractor), and their scores cannot be compared"
            )
        days = sorted({row.as_of for board in self.boards for row in board.rows if row.as_of})
        if len(days) > 1:
            notes.append(f"audits of different dates, from {days[0]} to {days[-1]}")
        return notes

    def to_dict(self) -> dict[str, Any]:
        """Return the leaderboard for JSON."""
        boards = [{"edition": b.edition, "domains": [row.to_dict() for row in b.rows]} for b in self.boards]
        return {"prior": PRIOR, "strength": STRENGTH, "boards": boards, "notes": self.notes}


def build(
    store: Store, *, measure: MeasureGain | None = None, progress: Progress = lambda done, total: None
) -> Leaderboard:
    """Rank the sites of a store by their last finished audits; sites without a scored page are left out.

    Args:
        store: The store.
        measure: Measures what the attack gains on a page, which takes seconds for each domain; not done without.
        progress: Told how many of the pages were attacked.
    """
    return rank(read_domains(store, with_text=measure is not None), measure=measure, progress=progress)


def rank(
    domains: Iterable[Domain],
    *,
    measure: MeasureGain | None = None,
    without_texts: str = NOT_KEPT,
    progress: Progress = lambda done, total: None,
) -> Leaderboard:
    """Rank domains, each among those that were scored in the same way.

    Args:
        domains: The domains; those without a page are left out.
        measure: Measures what the attack gains on a page; not done without.
        without_texts: Why a domain has no texts to be attacked.
        progress: Told how many of the pages were attacked.

    Raises:
        SteelyardError: There are very many scorings.
    """
    groups: list[_Group] = []
    for domain in sorted((d for d in domains if d.scores), key=lambda d: (d.edition, d.name)):
        group = next((g for g in groups if g.fits(domain)), None)
        if group is None:
            group = _Group(domain.scoring_key)
            groups.append(group)
        if len(groups) > MAX_BOARDS:
            raise SteelyardError(
                f"there are domains under more than {MAX_BOARDS} scorings; score them again, under one"
            )
        group.domains.append(domain)
        group.hashes |= domain.hashes
    ordered = sorted(groups, key=lambda g: (-len(g.domains), g.scoring_key, g.domains[0].name))
    if measure is not None:
        total = sum(len(domain.kept) for group in groups if len(group.domains) > 1 for domain in group.domains)
        measure = _count_pages(measure, total, progress)
    return Leaderboard(
        tuple(Board(g.domains[0].edition, _rank_group(g.domains, measure, without_texts)) for g in ordered)
    )


def pages_to_separate(first: Sequence[float], second: Sequence[float]) -> tuple[int | None, str]:
    """Return how many pages of each of two domains would separate their means, or None and the reason.

    That is ((z₀.₉₇₅ + z₀.₈) / d)² (s₁² + s₂²) for a difference d of the means.
    """
    if len(first) < 2 or len(second) < 2:
        return None, "one page has no deviation"
    means = [math.fsum(scores) / len(scores) for scores in (first, second)]
    difference = abs(means[0] - means[1])
    if difference < 1e-9:
        return None, "never: equal means"
    squares = [
        math.fsum((score - average) ** 2 for score in scores) / (len(scores) - 1)
        for scores, average in zip((first, second), means, strict=True)
    ]
    return max(2, math.ceil((_QUANTILES / difference) ** 2 * sum(squares))), ""


@dataclass(slots=True)
class _Group:
    """Domains of one board, and the hashes of their scorings."""

    scoring_key: tuple[str, str, str]
    domains: list[Domain] = field(default_factory=list)
    hashes: dict[tuple[str, str], str] = field(default_factory=dict)

    def fits(self, domain: Domain) -> bool:
        """Return whether a domain was scored in the same way."""
        same = (self.hashes.get(kind, scoring) == scoring for kind, scoring in domain.hashes.items())
        return self.scoring_key == domain.scoring_key and all(same)


def _rank_group(group: Sequence[Domain], measure: MeasureGain | None, without_texts: str) -> tuple[Standing, ...]:
    by_name = {domain.name.strip().lower(): domain for domain in group}  # as rank_domains has them
    rows = rank_domains({"domain": d.name, "score": score} for d in group for score in d.scores)
    ties = Counter(row.rank for row in rows)
    standings = []
    for row, after in zip(rows, [*rows[1:], None], strict=True):
        domain = by_name[row.domain]
        needed, note = None, "the last one"
        if after is not None:
            needed, note = pages_to_separate(domain.scores, by_name[after.domain].scores)
        rise, rise_note = None, without_texts if measure is not None else NOT_ASKED
        if measure is not None and domain.kept:
            rise, rise_note = _measure_rise(domain, row, rows, measure) if len(rows) > 1 else (None, ALONE)
        separated = _is_separated(row, after)
        notes = tuple(_describe(row, ties[row.rank] - 1, separated, is_last=after is None))
        made = domain.edition, domain.audit, domain.as_of, domain.flagged, domain.examined
        standings.append(Standing(row, *made, separated, needed, note, rise, rise_note, notes))
    return tuple(standings)


def _count_pages(measure: MeasureGain, total: int, progress: Progress) -> MeasureGain:
    done = 0

    def measure_next(page: KeptPage, domain: Domain) -> float | None:
        nonlocal done
        gain = measure(page, domain)
        done += 1
        progress(done, total)
        return gain

    return measure_next


def _is_separated(row: DomainRow, after: DomainRow | None) -> bool | None:
    if after is None or row.low is None or after.high is None:
        return None
    return row.low > after.high


def _describe(row: DomainRow, ties: int, separated: bool | None, *, is_last: bool) -> Iterator[str]:
    """Yield warnings about the numbers of a domain."""
    if row.n < SMALL:
        yield f"small sample: {format_count(row.n, 'page')}, so the prior of {PRIOR:g} weighs most"
    if ties:
        yield f"tied with {format_count(ties, 'other domain')}"
    if separated is False:
        yield "not separated from the next: their intervals overlap"
    elif separated is None and not is_last:
        yield "not separated from the next: one of them has no interval"


def _measure_rise(
    domain: Domain, row: DomainRow, rows: Sequence[DomainRow], measure: MeasureGain
) -> tuple[int | None, str]:
    """Return the ranks that a domain gains when the attack is made on each of its pages, and nobody else moves."""
    gains = [gain for page in domain.kept if (gain := measure(page, domain)) is not None]
    if not gains:
        return None, "no page of the sample can be attacked (too short, too long, or in a language without attacks)"
    average = math.fsum(gains) / len(gains)
    raised = [min(100.0, score + average) for score in domain.scores]
    value = shrink_mean(len(raised), math.fsum(raised) / len(raised))
    better = sum(1 for other in rows if other.shrunk > value and other is not row)
    return row.rank - (better + 1), f"{average:.1f} points a page, from {format_count(len(gains), 'page')}"
