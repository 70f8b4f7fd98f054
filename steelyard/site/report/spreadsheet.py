"""An audit as CSV: one row per address, with or without a score."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from steelyard.components import NAMES
from steelyard.site.summary import Outcome
from steelyard.support.table import Column, Table

_PAGE = ("title", "language", "words", "score", "content", "freshness", "cap", "guard")
COLUMNS = ("url", "state", "reason", "status", "depth", "linked", "found_on", *_PAGE, "flagged", *NAMES, "hash")


def make_spreadsheet(visits: Iterable[Outcome]) -> Table:
    """Return the table, in the order of the visits."""
    return Table([Column(name) for name in COLUMNS], [_make_row(visit) for visit in visits])


def _make_row(visit: Outcome) -> list[Any]:
    page = visit.page or {}
    signals = (page.get("manipulation") or {}).get("signals", {})
    components = page.get("components", {})
    return [
        visit.link.url, visit.state, visit.reason or None, visit.status, max(0, visit.link.depth),
        str(visit.linked).lower(), visit.link.found_on, *(page.get(name) for name in _PAGE),
        ", ".join(name for name, signal in signals.items() if signal["flagged"]),
        *(components.get(name, {}).get("value") for name in NAMES), page.get("hash"),
    ]  # fmt: skip
