"""An audit for programs: JSON, which is the document of `steelyard score` with what the audit adds, and CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from steelyard.components import NAMES
from steelyard.pages.json_document import DocumentStream
from steelyard.pipeline import PageError
from steelyard.settings import Settings
from steelyard.support.table import Column, Table

if TYPE_CHECKING:
    from steelyard.site.store import VisitRow

_PAGE = ("title", "language", "words", "score", "content", "freshness", "cap", "guard")
COLUMNS = ("url", "state", "reason", "status", "depth", "linked", "found_on", *_PAGE, "flagged", *NAMES, "hash")


def write_document(
    write: Callable[[str], None], settings: Settings, visits: Iterable[VisitRow], audit: Mapping[str, Any]
) -> None:
    """Write the JSON page by page; pages without a score are its errors, and `audit` stands at its end."""
    stream = DocumentStream(write, settings)
    errors: list[PageError] = []
    for visit in visits:
        if visit.page is not None:
            stream.add({**visit.page, "state": visit.state, "status": visit.status, "depth": max(0, visit.link.depth)})
        else:
            errors.append(PageError(visit.url, visit.outcome))
    stream.finish(errors, {"audit": dict(audit)})


def make_table(visits: Iterable[VisitRow]) -> Table:
    """Return a row for each address, with or without a score, in the order of the visits."""
    return Table([Column(name) for name in COLUMNS], [_make_row(visit) for visit in visits])


def _make_row(visit: VisitRow) -> list[Any]:
    page = visit.page or {}
    components = page.get("components", {})
    return [
        visit.link.url, visit.state, visit.reason or None, visit.status, max(0, visit.link.depth),
        str(visit.linked).lower(), visit.link.found_on, *(page.get(name) for name in _PAGE),
        ", ".join(visit.flags),
        *(components.get(name, {}).get("value") for name in NAMES), page.get("hash"),
    ]  # fmt: skip
