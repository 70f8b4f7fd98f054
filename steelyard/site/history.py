"""Two audits of a site compared, with the causes: the page, the date or the scoring."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from steelyard.components import NAMES
from steelyard.errors import SteelyardError
from steelyard.pages.page_change import CAUSES, DATE, FRESHNESS, PAGE, SCORING, PageChange, PageVersion
from steelyard.site.model import SCORED
from steelyard.site.scorings import Scorings, name_kind
from steelyard.site.store import AuditRow, NoSuchAudit, Store, VisitRow
from steelyard.site.visit_changes import VisitChange, compare_visits
from steelyard.support.formatting import format_count

_MAX_DIGITS = 18  # digits, which both databases can hold
THRESHOLD = 0.5  # points from which a page counts as improved or worsened
ADDED, REMOVED, IMPROVED, WORSENED, SAME = "added", "removed", "improved", "worsened", "unchanged"
RESCORED = "rescored"  # in another way, so that the two scores cannot be compared
STATUSES = (WORSENED, IMPROVED, REMOVED, ADDED, RESCORED)
MISSING = "no longer found"


@dataclass(frozen=True, slots=True)
class AuditDiff:
    """Two audits: their pages that differ, and figures over all pages that were scored in both, in the same way."""

    old: AuditRow
    new: AuditRow
    threshold: float
    pages: Sequence[PageChange]
    in_both: int
    same: int
    mean_change: float | None
    components: Mapping[str, float]  # mean change of the points of each component, and of the freshness
    causes: Mapping[str, int]  # of the pages that improved or worsened
    visits: Sequence[VisitChange] = ()  # the pages in both whose access or suggestions changed

    @property
    def counts(self) -> dict[str, int]:
        """The number of pages by their status; without rescored ones where there are none."""
        pages = Counter(page.status for page in self.pages)
        counts = {status: pages[status] for status in STATUSES if status != RESCORED} | {SAME: self.same}
        return counts | ({RESCORED: pages[RESCORED]} if pages[RESCORED] else {})

    @property
    def comparable(self) -> list[PageChange]:
        """The pages that people are shown: all but the rescored ones, which may be the whole site."""
        return [page for page in self.pages if page.status != RESCORED]

    @property
    def notes(self) -> list[str]:
        """Warnings: audits that ended early, and another edition or scoring."""
        notes = []
        for audit in (self.old, self.new):
            waiting = audit.counts.get("queued", 0)
            if audit.state != "done" or waiting:
                notes.append(
                    f"audit {audit.id} is {audit.state} with "
                    f"{format_count(waiting, 'known address', 'known addresses')} not visited, "
                    f"so pages may seem removed or added"
                )
        if self.old.edition != self.new.edition:
            old = self.old.edition
            notes.append(
                f"the edition changed from {old} to {self.new.edition}; `audit --edition {old}` goes on with {old}"
            )
        if rescored := self.counts.get(RESCORED):
            pages = format_count(rescored, "page was", "pages were")
            notes.append(
                f"{pages} scored in another way (edition, weights, formulas, language data or extractor) and cannot be "
                f"compared; neither improved nor worsened says anything about them"
            )
        return notes

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison for JSON."""
        return {
            "old": self.old.to_dict(),
            "new": self.new.to_dict(),
            "threshold": self.threshold,
            "counts": self.counts,
            "in_both": self.in_both,
            "mean_change": self.mean_change,
            "components": dict(self.components),
            "causes": dict(self.causes),
            "notes": self.notes,
            "suggestions": {
                "resolved": sum(len(change.resolved) for change in self.visits),
                "new": sum(len(change.new) for change in self.visits),
            },
            "access_and_suggestions": [change.to_dict() for change in self.visits],
            "pages": [_describe_page(page) for page in self.pages],
        }


def compare_audits(store: Store, old: int, new: int, *, threshold: float = THRESHOLD) -> AuditDiff:
    """Compare two audits by their numbers; a page is known by its address.

    Pages that changed are in memory, those that did not are not. The largest loss comes first.

    Raises:
        NoSuchAudit: There is no audit of that number.
    """
    audits = store.read_audit(old), store.read_audit(new)
    scorings = Scorings(store)
    pages: list[PageChange] = []
    changes: list[float] = []
    visits: list[VisitChange] = []
    totals = {name: [0.0] for name in (*NAMES, FRESHNESS)}
    for before, after in _pair(store.read_visits(old), store.read_visits(new)):
        if not _is_scored(before) or not _is_scored(after):
            pages += _describe_one_sided(before, after)
            continue
        page = _compare(before, after, audits, scorings, threshold)
        if change := compare_visits(before, after, same_scoring=page.change is not None):
            visits.append(change)
        if page.change is not None:
            changes.append(page.change)
        for name, points in page.point_changes.items():
            totals[name].append(points)
        if page.status != SAME:
            pages.append(page)
    causes = Counter(cause for page in pages for cause in page.causes if page.change is not None)
    return AuditDiff(
        *audits,
        threshold,
        sorted(pages, key=lambda p: (STATUSES.index(p.status), _sort_change(p), p.source)),
        len(changes),
        sum(1 for change in changes if not _is_moved(change, threshold)),
        math.fsum(changes) / len(changes) if changes else None,
        {name: math.fsum(points) / len(changes) for name, points in totals.items()} if changes else {},
        {cause: causes[cause] for cause in CAUSES},
        visits,
    )


def find_pair(store: Store, references: Sequence[str]) -> tuple[AuditRow, AuditRow]:
    """Return the two audits that are meant: SITE, SITE A, SITE A B, or A B.

    A and B are numbers, or after SITE or as SITE@A also dates, "latest" and "previous". What is not said is the
    previous audit and the latest.

    Raises:
        NoSuchAudit: There is no such audit, or only one of a site.
    """
    first, *others = references
    if len(others) > 2 - _is_reference(first):
        raise SteelyardError("give a site and at most two of its audits, or two audits")
    if not _is_reference(first):
        site = find_site(store, first)
        which = (*others, *("previous", "latest")[len(others) :])
        return store.find_audit(site, which[0]), store.find_audit(site, which[1])
    old = find_reference(store, first)
    if others and not _is_reference(others[0]):
        return old, store.find_audit(old.site, others[0])
    return old, find_reference(store, others[0]) if others else store.find_audit(old.site)


def find_reference(store: Store, text: str) -> AuditRow:
    """Return the audit of a number, or of SITE@WHICH."""
    site, _, which = text.rpartition("@")
    if site:
        return store.find_audit(find_site(store, site), which)
    if not (which.isascii() and which.isdigit() and len(which) <= _MAX_DIGITS):
        raise NoSuchAudit(text, (f"{row.last.id} of {row.site}" for row in store.list_sites()))
    return store.read_audit(int(which))


def find_site(store: Store, text: str) -> str:
    """Return the name under which a site is stored, from that name, its host or one of its addresses.

    Raises:
        NoSuchAudit: The store has no audit of it.
    """
    known = [row.site for row in store.list_sites()]
    host = text.partition("://")[2] or text
    host = host.partition("/")[0].rpartition("@")[2].lower()
    other = host.removeprefix("www.") if host.startswith("www.") else f"www.{host}"
    for name in (text, host, other):
        if name in known:
            return name
    raise NoSuchAudit(text, known)


def _is_reference(text: str) -> bool:
    return ("@" in text and "://" not in text) or (text.isascii() and text.isdigit())


def _pair(old: Iterator[VisitRow], new: Iterator[VisitRow]) -> Iterator[tuple[VisitRow | None, VisitRow | None]]:
    """Yield the visits of each address in both audits; both are sorted by it, so few are in memory."""
    before, after = next(old, None), next(new, None)
    while before is not None or after is not None:
        if after is None or (before is not None and before.url < after.url):
            yield before, None
            before = next(old, None)
        elif before is None or after.url < before.url:
            yield None, after
            after = next(new, None)
        else:
            yield before, after
            before, after = next(old, None), next(new, None)


def _describe_one_sided(before: VisitRow | None, after: VisitRow | None) -> list[PageChange]:
    """Return the page that was scored in one of the two audits only; none for an address scored in neither."""
    if _is_scored(before):
        return [PageChange(before.url, REMOVED, _read_version(before), None, note=after.outcome if after else MISSING)]
    if _is_scored(after):
        return [PageChange(after.url, ADDED, None, _read_version(after), note=before.outcome if before else "")]
    return []


def _is_scored(visit: VisitRow | None) -> TypeGuard[VisitRow]:
    return visit is not None and visit.state == SCORED and visit.page is not None


def _compare(
    before: VisitRow, after: VisitRow, audits: tuple[AuditRow, AuditRow], scorings: Scorings, threshold: float
) -> PageChange:
    causes = _find_causes(before, after, audits, scorings)
    page = PageChange(before.url, RESCORED, _read_version(before), _read_version(after), causes=causes)
    if page.change is None:
        return page
    due: float | None = None
    if causes == (DATE,):
        due = page.change
    elif audits[0].as_of == audits[1].as_of or not causes:
        due = 0.0
    status = SAME if not _is_moved(page.change, threshold) else IMPROVED if page.change > 0 else WORSENED
    return replace(page, status=status, due_to_date=due, note=_describe_limits(page))


def _read_version(visit: VisitRow) -> PageVersion:
    return PageVersion.from_entry(visit.page or {})


def _describe_page(page: PageChange) -> dict[str, Any]:
    """Return a page for JSON."""
    return {
        "url": page.source,
        **page.describe_scores(),
        "causes": list(page.causes),
        "due_to_date": page.due_to_date,
        "most_moved": page.find_most_moved(freshness=True),
        "moves": page.point_changes or None,
        "note": page.note or None,
    }


def _is_moved(change: float, threshold: float) -> bool:
    return change != 0 and abs(change) >= threshold


def _find_causes(
    before: VisitRow, after: VisitRow, audits: tuple[AuditRow, AuditRow], scorings: Scorings
) -> tuple[str, ...]:
    """Return what differs between two readings of a page and can have changed its score."""
    old, new = before.page or {}, after.page or {}
    days = [audit.as_of for audit in audits]
    aged = new["freshness"] - old["freshness"]
    causes = set()
    if before.content != after.content:
        causes.add(PAGE)
    # The hash also depends on the page's language and kind: where these changed, other pages tell.
    is_same = old["hash"] == new["hash"] or (name_kind(old) != name_kind(new) and scorings.are_same(*audits))
    if not is_same:
        causes.add(SCORING)
    if aged and days[0] != days[1]:
        causes.add(DATE)
        if not causes & {PAGE, SCORING} and (aged > 0) == (days[1] > days[0]):
            causes.add(PAGE)  # nothing grows fresher with time: a date in its HTML, outside its text, has changed
    if not causes and old["score"] != new["score"]:
        causes.add(PAGE)  # the same, on the same day
    return tuple(cause for cause in CAUSES if cause in causes)


def _describe_limits(page: PageChange) -> str:
    """Return which guard or cap came or went, since that moves a score without any component; empty for none."""
    old, new = page.old, page.new
    if old is None or new is None:
        return ""
    if old.guard != new.guard:
        return f"{new.guard} applies" if new.guard else f"{old.guard} no longer applies"
    if old.cap != new.cap:
        caps = ["none" if version.cap is None else f"{version.cap:g}" for version in (old, new)]
        return f"cap {caps[0]} → {caps[1]}"
    return ""


def _sort_change(page: PageChange) -> float:
    """Return what a page is sorted by within its status: the largest change first, or the lowest score."""
    if page.change is not None:
        return -abs(page.change)
    version = page.old or page.new
    return version.score if version else 0.0
