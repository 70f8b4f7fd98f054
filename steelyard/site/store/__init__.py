"""The store of audits: SQLite by default, PostgreSQL by its URL, with every page's history."""

from __future__ import annotations

from steelyard.errors import MissingExtra

try:
    import sqlalchemy  # noqa: F401
except ImportError as error:
    raise MissingExtra("site", "sqlalchemy") from error

from steelyard.site.store.audit import Audit
from steelyard.site.store.errors import AuditRunning, NoSuchAudit, StoreError
from steelyard.site.store.rows import AuditRow, SiteRow, VisitRow
from steelyard.site.store.store import Store, open_store

__all__ = [
    "Audit", "AuditRow", "AuditRunning", "NoSuchAudit", "SiteRow", "Store", "StoreError", "VisitRow", "open_store",
]  # fmt: skip
