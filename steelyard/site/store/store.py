"""A store: begin or continue an audit, and read what was found."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, insert, select, update

from steelyard.site.store import queries
from steelyard.site.store.audit import Audit, close_audit
from steelyard.site.store.database import Database
from steelyard.site.store.errors import AuditRunning, StoreError
from steelyard.site.store.export import export
from steelyard.site.store.location import describe, locate
from steelyard.site.store.owner import Owner
from steelyard.site.store.retention import prune
from steelyard.site.store.rows import AuditRow, Removed, SiteRow, VisitRow
from steelyard.site.store.tables import RUNNING, STOPPED, audits, clean
from steelyard.site.store.upgrade import upgrade
from steelyard.support.artifacts import to_json

SUPERSEDED = "another audit of this site was begun instead"


def open_store(url: str | None = None, *, create: bool = True) -> Store:
    """Open a store, and bring its schema up to date.

    Args:
        url: A path, sqlite:///PATH, or postgresql://USER@HOST/NAME; without it STEELYARD_STORE, else the user's own.
        create: Whether to make a file that is missing.

    Raises:
        StoreError: It cannot be opened; the message never holds a password.
        MissingExtra: It is on PostgreSQL, whose driver is not installed.
    """
    location = locate(url, create=create)
    if location.get_backend_name() == "sqlite" and not create and not os.path.exists(str(location.database)):
        raise StoreError(describe(location), "there is no store yet; `steelyard audit URL` makes one")
    database = Database(location)
    try:
        upgrade(database)
    except BaseException:
        database.close()
        raise
    return Store(database)


class Store:
    """Audits of sites and everything found by them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._audits: list[Audit] = []

    @property
    def name(self) -> str:
        """Where the store is, without a password."""
        return self._database.name

    def begin_audit(
        self,
        site: str,
        start: str,
        settings: Mapping[str, Any],
        *,
        as_of: date,
        edition: str,
        scoring: Mapping[str, str],
        keep_texts: bool,
        fresh: bool = False,
    ) -> Audit:
        """Begin an audit, or continue the unfinished one of this site if all of these are the same.

        An unfinished one that differs, or any with `fresh`, is closed as "stopped".

        Raises:
            AuditRunning: Another process audits this site.
        """
        values = {
            "site": clean(site),
            "start": clean(start),
            "as_of": as_of.isoformat(),
            "edition": edition,
            "scoring": to_json(dict(scoring), indent=None, sort_keys=True),
            "settings": to_json(dict(settings), indent=None, sort_keys=True),
            "keep_texts": keep_texts,
        }
        token = uuid.uuid4().hex
        number, resumed = self._database.write(lambda c: _begin(c, values, token, fresh=fresh))
        audit = Audit(self._database, number, site, token, keep_texts=keep_texts, resumed=resumed)
        self._audits.append(audit)
        return audit

    def list_sites(self) -> list[SiteRow]:
        """Return all sites by name, each with its last finished audit."""
        return self._database.read(queries.list_sites)

    def list_audits(self, site: str) -> list[AuditRow]:
        """Return the audits of a site, the oldest first."""
        return self._database.read(lambda connection: queries.list_audits(connection, site))

    def find_audit(self, site: str, which: str = "latest") -> AuditRow:
        """Return an audit of a site: "latest", "previous", a number, or a date (the last one on or before it).

        Only finished audits count, unless there is none or a number is given.

        Raises:
            NoSuchAudit: There is none; the message says what there is.
        """
        return self._database.read(lambda connection: queries.find_audit(connection, site, which))

    def read_audit(self, audit_id: int) -> AuditRow:
        """Return an audit by its number.

        Raises:
            NoSuchAudit: There is none.
        """
        return self._database.read(lambda connection: queries.read_audit(connection, audit_id))

    def read_visits(
        self, audit_id: int, *, order: queries.Order = "url", with_text: bool = False
    ) -> Iterator[VisitRow]:
        """Yield the visits of an audit by address, or with order "score" the worst page first; few are in memory."""
        with self._database.open_stream() as connection:
            yield from queries.read_visits(connection, audit_id, order=order, with_text=with_text)

    def read_scorings(self, audit_id: int) -> dict[str, frozenset[str]]:
        """Return the hashes of the scorings of an audit's first pages, by language."""
        return self._database.read(lambda connection: queries.read_scorings(connection, audit_id))

    def read_scores(self, audit_id: int) -> dict[str, float]:
        """Return the scores of an audit's pages by their addresses."""
        return self._database.read(lambda connection: queries.read_scores(connection, audit_id))

    def read_page(self, audit_id: int, url: str) -> VisitRow | None:
        """Return the visit of an address with its page, and its text if that was kept; None where there is none."""
        return self._database.read(lambda connection: queries.read_page(connection, audit_id, url))

    def prune(self, *, keep: int | None = None, before: date | None = None, site: str | None = None) -> Removed:
        """Remove old audits, and the readings and texts that nothing refers to any more.

        Args:
            keep: The newest audits of each site to keep.
            before: Remove only what ended before this day.
            site: Only this site; None for all.
        """
        return prune(self._database, keep=keep, before=before, site=site)

    def export(self, path: str | Path) -> int:
        """Write every visit of every audit to a Parquet file, and return how many there are.

        Raises:
            MissingExtra: pyarrow is not installed.
            CannotWrite: The file cannot be written.
        """
        return export(self, path)

    def close(self) -> None:
        """Close the store; an audit that was not ended can be continued by any process."""
        try:
            for audit in self._audits:
                audit.release()
        except StoreError:
            pass  # it cannot be reached, so the end of this process tells the others
        finally:
            self._database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _begin(connection: Connection, values: Mapping[str, Any], token: str, *, fresh: bool) -> tuple[int, bool]:
    """Return the number of the audit to work on, and whether it was there already."""
    owner = Owner.current()
    now = time.time()
    ours = {"owner": token, "host": owner.host, "pid": owner.pid, "process_start": owner.start, "beat": now}
    query = select(audits).where(audits.c.site == values["site"], audits.c.state == RUNNING)
    unfinished = connection.execute(query.with_for_update()).first()
    if unfinished is not None:
        number = int(unfinished.id)
        if unfinished.owner == token:  # begun by a try whose answer was lost
            return number, False
        other = Owner(unfinished.host or "", unfinished.pid or 0, unfinished.process_start or "")
        if unfinished.owner is not None and other.is_alive(unfinished.beat or 0.0):
            raise AuditRunning(str(values["site"]), str(other))
        if not fresh and all(unfinished._mapping[key] == value for key, value in values.items()):
            connection.execute(update(audits).where(audits.c.id == number).values(ours))
            return number, True
        close_audit(connection, number, STOPPED, {"reason": SUPERSEDED})
    new = insert(audits).values(**values, **ours, state=RUNNING, started=now).returning(audits.c.id)
    return int(connection.execute(new).scalar_one()), False
