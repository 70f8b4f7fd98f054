"""Remove old audits, and what nothing refers to any more."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from sqlalchemy import Connection, delete, select

from steelyard.site.store.database import Database
from steelyard.site.store.rows import Removed
from steelyard.site.store.tables import RUNNING, addresses, audits, clean, date_dependent, readings, texts


def prune(database: Database, *, keep: int | None, before: date | None, site: str | None) -> Removed:
    """Remove audits that are not among the newest `keep` of their site and ended before that day.

    An unfinished audit is never removed.

    Raises:
        ValueError: Neither is given.
    """
    if keep is None and before is None:
        raise ValueError("say how many audits to keep, or before which day to remove them")

    def work(connection: Connection) -> Removed:
        database.hold_content(connection)
        return _prune(connection, _choose(connection, keep, before, site))

    removed = database.write(work)
    if database.is_sqlite:
        _give_back(database)
    return removed


def _choose(connection: Connection, keep: int | None, before: date | None, site: str | None) -> list[int]:
    """Return the numbers of the audits to remove."""
    query = select(audits.c.id, audits.c.site, audits.c.finished).where(audits.c.state != RUNNING)
    if site is not None:
        query = query.where(audits.c.site == clean(site))
    newer: dict[str, int] = {}
    chosen = []
    for row in connection.execute(query.order_by(audits.c.started.desc(), audits.c.id.desc())):
        newer[row.site] = newer.get(row.site, 0) + 1
        is_beyond = keep is None or newer[row.site] > keep
        is_old = before is None or datetime.fromtimestamp(row.finished, UTC).date() < before
        if is_beyond and is_old:
            chosen.append(int(row.id))
    return chosen


def _prune(connection: Connection, chosen: list[int]) -> Removed:
    visits = 0
    for number in chosen:
        visits += connection.execute(delete(addresses).where(addresses.c.audit == number)).rowcount
        connection.execute(delete(audits).where(audits.c.id == number))
    used = select(addresses.c.reading).where(addresses.c.reading.is_not(None))
    lost_readings = _remove(connection, readings, readings.c.id.not_in(used))
    used = select(addresses.c.dated).where(addresses.c.dated.is_not(None))
    _remove(connection, date_dependent, date_dependent.c.id.not_in(used))
    lost_texts = _remove(connection, texts, texts.c.content.not_in(select(readings.c.content)))
    return Removed(len(chosen), visits, lost_readings, lost_texts)


def _remove(connection: Connection, table: Any, condition: Any) -> int:
    return int(connection.execute(delete(table).where(condition)).rowcount)


def _give_back(database: Database) -> None:
    """Give the room of removed rows back to the disk."""
    connection = database.engine.raw_connection()
    try:
        connection.cursor().executescript("PRAGMA incremental_vacuum")  # `execute` would give back one page only
    finally:
        connection.close()
