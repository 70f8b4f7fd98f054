"""What changed of a page between two audits besides its score: who may read it, and what is suggested for it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.advice.rules import RULES
from steelyard.pages.restored import name_rule
from steelyard.site.store import VisitRow
from steelyard.support.formatting import format_count


@dataclass(frozen=True, slots=True)
class VisitChange:
    """A page that was scored in both audits: what of its access changed, and which suggestions went and came.

    Attributes:
        url: Its address.
        access: What is worse now, and what is better, in words.
        resolved: The rules of the suggestions that are no longer made, one for each.
        new: The rules of those that are made now only.
    """

    url: str
    access: tuple[str, ...] = ()
    resolved: tuple[str, ...] = ()
    new: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.access or self.resolved or self.new)

    @property
    def advice(self) -> str:
        """Which suggestions went and came, in words; empty where none did."""
        parts = [f"{name} {_list_topics(rules)}" for name, rules in (("resolved", self.resolved), ("new", self.new))]
        return "; ".join(part for part, rules in zip(parts, (self.resolved, self.new), strict=True) if rules)

    def to_dict(self) -> dict[str, Any]:
        """Return the change for JSON."""
        return {"url": self.url, "access": [*self.access], "resolved": [*self.resolved], "new": [*self.new]}


def compare_visits(before: VisitRow, after: VisitRow, *, same_scoring: bool) -> VisitChange:
    """Return what changed of a page; without suggestions where the scoring, and with it the advice, differs."""
    gone: Counter[str] = Counter()
    come: Counter[str] = Counter()
    if same_scoring:
        old, new = (Counter(map(name_rule, (visit.page or {}).get("moves", ()))) for visit in (before, after))
        gone, come = old - new, new - old
    access = tuple(_compare_access(before, after))
    return VisitChange(before.url, access, tuple(sorted(gone.elements())), tuple(sorted(come.elements())))


def _compare_access(before: VisitRow, after: VisitRow) -> Iterable[str]:
    old, new = before.access, after.access
    if old is None or new is None:
        return
    yield from (f"{name}: {reason}" for name, reason in new.failed.items() if name not in old.failed)
    yield from (f"{name}: passes now" for name in old.failed if name in new.passed)
    yield from (f"{name}: no longer there to check" for name in old.failed if name not in (*new.passed, *new.failed))
    if old.forbidden is not None and new.forbidden is not None:
        yield from (f"robots.txt forbids {name}" for name in new.forbidden if name not in old.forbidden)
        yield from (f"robots.txt allows {name} again" for name in old.forbidden if name not in new.forbidden)


def group_access(changes: Sequence[VisitChange]) -> list[tuple[str, list[str]]]:
    """Return each change of access with the addresses of its pages, that of most pages first."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for change in changes:
        for text in change.access:
            groups[text].append(change.url)
    return sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))


def describe_advice(changes: Sequence[VisitChange]) -> str:
    """Return how many suggestions went and came; empty where none did."""
    resolved, new = sum(len(change.resolved) for change in changes), sum(len(change.new) for change in changes)
    return f"{format_count(resolved, 'suggestion')} resolved, {new:,} new" if resolved or new else ""


def _list_topics(rules: Sequence[str]) -> str:
    counts = Counter(RULES[rule].topic if rule in RULES else rule for rule in rules)
    return ", ".join(topic + (f" ({count})" if count > 1 else "") for topic, count in counts.items())
