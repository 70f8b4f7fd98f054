"""All visits as one Parquet file, for notebooks and other programs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.components import NAMES
from steelyard.errors import CannotWrite, MissingExtra
from steelyard.site.model import PROBE
from steelyard.site.store.rows import AuditRow, VisitRow
from steelyard.support.artifacts import resolve_output

if TYPE_CHECKING:
    from steelyard.site.store.store import Store

GROUP = 2_000  # rows in memory at a time
TEXTS = (
    "site", "as_of", "audit_state", "edition", "url", "state", "reason", "final_url", "canonical", "content_type",
    "content", "title", "language", "scoring", "guard", "flagged_by", "access_failed", "agents_forbidden",
)  # fmt: skip
INTEGERS = ("audit", "depth", "status", "words", "access_checks")
NUMBERS = ("score", "content_score", "freshness", "cap", "suspicion")


def export(store: Store, path: str | Path) -> int:
    """Write one row for each visit of each audit; the file takes its place at the end, in one step."""
    try:
        import pyarrow as pa
        from pyarrow.parquet import ParquetWriter
    except ImportError as error:
        raise MissingExtra("bulk", "pyarrow") from error
    schema = pa.schema(
        [
            *((name, pa.string()) for name in TEXTS),
            *((name, pa.int64()) for name in INTEGERS),
            *((name, pa.bool_()) for name in ("linked", "flagged")),
            *((name, pa.float64()) for name in NUMBERS),
            *((f"{name}{kind}", pa.float64()) for name in NAMES for kind in ("", "_points")),
        ]
    )
    target = resolve_output(path)
    rows = 0
    new = None
    try:
        fd, new = tempfile.mkstemp(dir=target.parent, prefix=".steelyard-", suffix=".parquet")
        os.close(fd)
        with ParquetWriter(new, schema, compression="zstd") as writer:
            for group in _read_groups(store):
                writer.write_table(pa.Table.from_pylist(group, schema=schema))
                rows += len(group)
        os.chmod(new, 0o600)  # the store may be of a site that is not public
        os.replace(new, target)
        new = None
    except OSError as error:
        raise CannotWrite(str(path), error.strerror or str(error)) from error
    finally:
        if new is not None:
            os.unlink(new)
    return rows


def _read_groups(store: Store) -> Iterator[list[dict[str, Any]]]:
    group: list[dict[str, Any]] = []
    for site in store.list_sites():
        for audit in store.list_audits(site.site):
            for visit in store.read_visits(audit.id):
                if visit.link.origin != PROBE:
                    group.append(_make_row(audit, visit))
                if len(group) == GROUP:
                    yield group
                    group = []
    if group:
        yield group


def _make_row(audit: AuditRow, visit: VisitRow) -> dict[str, Any]:
    page = visit.page or {}
    report = page.get("manipulation") or {}
    access = visit.access
    row = {
        "site": audit.site,
        "audit": audit.id,
        "audit_state": audit.state,
        "as_of": audit.as_of.isoformat(),
        "edition": audit.edition,
        "url": visit.url,
        "linked": visit.linked,
        "depth": visit.link.depth,
        "scoring": page.get("hash"),
        "content_score": page.get("content"),
        "suspicion": report.get("suspicion"),
        "flagged": report.get("flagged"),
        "flagged_by": ", ".join(visit.flags) if report else None,
        "access_checks": access.checks if access else None,
        "access_failed": ", ".join(access.failed) if access else None,
        "agents_forbidden": ", ".join(access.forbidden) if access and access.forbidden is not None else None,
        **{name: getattr(visit, name) for name in ("state", "status", "final_url", "canonical", "content")},
        **{name: getattr(visit, name) or None for name in ("reason", "content_type")},
        **{name: page.get(name) for name in ("title", "language", "guard", "words", "score", "freshness", "cap")},
    }
    for name, component in page.get("components", {}).items():
        row |= {name: component["value"], f"{name}_points": component["points"]}
    return {key: _encodable(value) for key, value in row.items()}


def _encodable(value: Any) -> Any:
    """Return a text without half of a surrogate pair, which a title may hold and Arrow refuses."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
