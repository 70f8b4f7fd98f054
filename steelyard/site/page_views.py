"""The pages of an audit as results again, each with its history: what the view of a page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any

from steelyard.pages.restored import find_evidence, restore_result
from steelyard.pipeline import PageResult
from steelyard.site.scorings import Scorings
from steelyard.site.summary import Summary
from steelyard.support.pool import LostTask, ordered_map

if TYPE_CHECKING:
    from steelyard.site.store import AuditRow, Store

MAX_VIEWS = 500  # pages of one report that have a view
MAX_PAST = 12  # audits in the history of a page


@dataclass(frozen=True, slots=True)
class Past:
    """The score of a page in an earlier audit that can be compared."""

    audit: int
    as_of: date
    score: float


@dataclass(frozen=True, slots=True)
class PageView:
    """A page of an audit: its result, and its scores in earlier audits, the oldest first."""

    result: PageResult
    history: tuple[Past, ...] = ()


def choose_views(summary: Summary) -> list[str]:
    """Return the addresses that have a view, the worst first: all that need a look before those that score well."""
    marked = {page.url for page in (*summary.flagged, *summary.doubtful)}
    first = [page.url for page in summary.pages if page.url in marked][:MAX_VIEWS]
    worst = [page.url for page in summary.pages if page.url not in marked][: MAX_VIEWS - len(first)]
    chosen = {*first, *worst}
    return [page.url for page in summary.pages if page.url in chosen]


def read_views(store: Store, audit: int, urls: Sequence[str], *, jobs: int = 1) -> dict[str, PageView]:
    """Return the views of some pages of an audit, by their addresses."""
    row = store.read_audit(audit)
    past = read_past(store, row)
    tasks = [(visit.page, visit.link.url) for url in urls if (visit := store.read_page(audit, url)) and visit.page]
    views = {}
    restore = partial(restore_page, scoring=row.scoring)
    for result, (_, url) in zip(ordered_map(restore, tasks, jobs if len(tasks) > 1 else 1), tasks, strict=True):
        if not isinstance(result, LostTask):
            views[url] = PageView(result, past.get(url, ()))
    return views


def restore_page(task: tuple[Mapping[str, Any], str], scoring: Mapping[str, str]) -> PageResult:
    """Return the result of a stored page, with its text and evidence where the text was kept."""
    entry, _ = task
    result = restore_result(entry, scoring)
    return result if entry.get("text") is None else find_evidence(result, entry["text"], scoring)


def read_past(store: Store, row: AuditRow) -> dict[str, tuple[Past, ...]]:
    """Return the earlier scores of every page of an audit, from the audits that were scored in the same way."""
    scorings = Scorings(store)
    earlier = [other for other in store.list_audits(row.site) if other.state == "done" and other.id < row.id]
    past: dict[str, tuple[Past, ...]] = {}
    for other in [other for other in earlier if scorings.are_same(other, row)][-MAX_PAST:]:
        for url, score in store.read_scores(other.id).items():
            past[url] = (*past.get(url, ()), Past(other.id, other.as_of, score))
    return past
