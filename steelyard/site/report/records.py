"""An audit for programs: JSON, which is the document of `steelyard score` with what the audit adds, and CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from steelyard.components import NAMES
from steelyard.errors import ReadingFailed
from steelyard.pages.json_document import DocumentStream
from steelyard.pages.reading import from_entry
from steelyard.pipeline import READING, PageError
from steelyard.settings import Settings
from steelyard.support.table import Column, Table

if TYPE_CHECKING:
    from steelyard.site.access.page_access import PageAccess
    from steelyard.site.logs.report import LogReport
    from steelyard.site.store import VisitRow

_PAGE = ("title", "language", "words", "score", "content", "freshness", "cap", "guard")
_DATES = ("published", "updated")
_KIND = ("kind", "kind_certain")
_READING = ("reading", "read_share")
COLUMNS = (
    "url", "state", "reason", "status", "depth", "linked", "found_on", *_PAGE, "rating", "flagged", *_READING, *_KIND,
    *NAMES, "hash", *_DATES, "access_passed", "access_checks", "access_failed", "agents_forbidden",
)  # fmt: skip


def write_document(
    write: Callable[[str], None], settings: Settings, visits: Iterable[VisitRow], audit: Mapping[str, Any]
) -> None:
    """Write the JSON page by page; pages without a score are its errors, and `audit` stands at its end."""
    stream = DocumentStream(write, settings)
    errors: list[PageError] = []
    for visit in visits:
        if visit.page is not None:
            entry = {**visit.page, "state": visit.state, "status": visit.status, "depth": max(0, visit.link.depth)}
            stream.add({**entry, "access": visit.access.to_dict() if visit.access else None})
        else:
            errors.append(PageError(visit.url, visit.outcome, READING if _is_failed_reading(visit) else None))
    stream.finish(errors, {"audit": dict(audit)})


def _is_failed_reading(visit: VisitRow) -> bool:
    return visit.reason.startswith(ReadingFailed.BEGINNING)


def _list_reading(visit: VisitRow) -> tuple[str | None, float | None]:
    reading = from_entry(visit.page or {})
    if reading is None:
        return ("failed" if _is_failed_reading(visit) else None), None
    return reading.confidence, reading.read_share


def _list_access(access: PageAccess | None) -> tuple[int | None, int | None, str | None, str | None]:
    if access is None:
        return None, None, None, None
    failed = "; ".join(f"{name}: {reason}" for name, reason in access.failed.items())
    return len(access.passed), access.checks, failed or None, ", ".join(access.forbidden or ()) or None


def make_table(visits: Iterable[VisitRow], logs: LogReport | None = None) -> Table:
    """Return a row for each address, with or without a score, in the order of the visits.

    With access logs a last column has how often known agents asked for it.
    """
    if logs is None:
        return Table([Column(name) for name in COLUMNS], [_make_row(visit) for visit in visits])
    counts = {page.url: page.visits.total for page in logs.pages}
    rows = [[*_make_row(visit), counts.get(visit.url, 0)] for visit in visits]
    return Table([Column(name) for name in (*COLUMNS, "agent_visits")], rows)


def _make_row(visit: VisitRow) -> list[Any]:
    page = visit.page or {}
    components, kind = page.get("components", {}), page.get("kind", {})  # stored pages of earlier versions have no kind
    return [
        visit.link.url, visit.state, visit.reason or None, visit.status, max(0, visit.link.depth),
        str(visit.linked).lower(), visit.link.found_on, *(page.get(name) for name in _PAGE),
        page.get("rating"), ", ".join(visit.flags), *_list_reading(visit), kind.get("name"), kind.get("certain"),
        *(components.get(name, {}).get("value") for name in NAMES), page.get("hash"),
        *((page.get("dates") or {}).get(name) for name in _DATES), *_list_access(visit.access),
    ]  # fmt: skip
