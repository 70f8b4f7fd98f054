"""Transactions on SQLite and PostgreSQL: repeated when the connection was lost, with errors a user understands."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, create_engine, event, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from steelyard.site.store.errors import StoreBusy, StoreError, StoreFull, StoreLost
from steelyard.site.store.location import describe
from steelyard.support.redaction import redact

T = TypeVar("T")

PATIENCE = 15.0  # seconds to try again after a lost connection, enough for a restart of the server
FIRST_PAUSE, MAX_PAUSE = 0.1, 2.0
BUSY_SECONDS = 10  # to wait for another writer
MAX_CONFLICTS = 5  # repetitions after two transactions disturbed each other
MAX_REASON = 200  # characters of the database's own message

# One number of PostgreSQL's advisory locks: shared by whoever uses readings, held alone by retention.
_CONTENT_LOCK = 0x53544559
_SCHEMA_LOCK = 0x53544558

# What PostgreSQL calls "serialization failure" and "deadlock detected".
_CONFLICTS = ("40001", "40P01")
_NO_ROOM = ("SQLITE_FULL", "53100", "53200")
_BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED", "55P03")
_READ_ONLY = "can only be read; make it writable, or name another store"
_REASONS = {  # for other codes, by their start
    "SQLITE_READONLY": _READ_ONLY,
    "25006": _READ_ONLY,
    "SQLITE_NOTADB": "not a SQLite database; name another file",
    "SQLITE_CORRUPT": "the file is damaged ({reason}); restore a copy, or name another file",
    "SQLITE_CANTOPEN": "cannot be opened; check that the file and its folder can be read and written",
}


class Database:
    """A store's engine. Every piece of work is one transaction and may be repeated, so it must be idempotent."""

    def __init__(self, url: URL) -> None:
        self.name = describe(url)
        self.is_sqlite = url.get_backend_name() == "sqlite"
        self._secrets = [s for s in (url.password, *map(str, url.query.values())) if s]
        # An error must show neither the text of a page nor the password.
        options: dict[str, Any] = {"hide_parameters": True}
        if self.is_sqlite:
            options["connect_args"] = {"timeout": BUSY_SECONDS}
        else:
            own = f"-c lock_timeout={BUSY_SECONDS}s"
            options["connect_args"] = {
                "application_name": "steelyard", "connect_timeout": 10, "keepalives_idle": 10,
                "keepalives_interval": 5, "keepalives_count": 3,
                "options": " ".join([str(url.query.get("options", "")), own]).strip(),
            }  # fmt: skip
        self.engine = create_engine(url, **options)
        if self.is_sqlite:
            event.listen(self.engine, "connect", _prepare_sqlite)
            event.listen(self.engine, "begin", _begin_sqlite)
        self.repeated = 0  # how often work was begun again, after which a caller's own counts may be wrong

    def read(self, work: Callable[[Connection], T], patience: float = PATIENCE) -> T:
        """Do work that only reads."""
        return self._repeat(work, patience, immediate=False)

    def write(self, work: Callable[[Connection], T], patience: float = PATIENCE) -> T:
        """Do work that writes: all of it or nothing."""
        return self._repeat(work, patience, immediate=True)

    @contextmanager
    def open_stream(self) -> Iterator[Connection]:
        """Open a connection whose results arrive in pieces; work on it is not repeated."""
        try:
            with self.engine.connect() as connection, connection.begin():
                yield connection
        except DBAPIError as error:
            raise self.explain(error) from error

    def upgrade(self, work: Callable[[Connection], None]) -> None:
        """Do work on the schema, one process at a time."""

        def locked(connection: Connection) -> None:
            self._lock(connection, "pg_advisory_xact_lock", _SCHEMA_LOCK)
            work(connection)

        self.write(locked, patience=0.0)

    def share_content(self, connection: Connection) -> None:
        """Keep retention away until the transaction ends; SQLite has one writer anyway."""
        self._lock(connection, "pg_advisory_xact_lock_shared", _CONTENT_LOCK)

    def hold_content(self, connection: Connection) -> None:
        """Wait for all that use readings, and keep them away until the transaction ends."""
        self._lock(connection, "pg_advisory_xact_lock", _CONTENT_LOCK)

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def _lock(self, connection: Connection, function: str, number: int) -> None:
        if not self.is_sqlite:
            connection.execute(text(f"SELECT {function}({number})"))

    def _repeat(self, work: Callable[[Connection], T], patience: float, *, immediate: bool) -> T:
        deadline = time.monotonic() + patience
        pause, conflicts = FIRST_PAUSE, 0
        while True:
            try:
                with self.engine.connect() as connection:
                    connection.execution_options(immediate=immediate)
                    with connection.begin():
                        return work(connection)
            except DBAPIError as error:
                if _is_conflict(error) and conflicts < MAX_CONFLICTS:
                    conflicts += 1
                elif not _is_lost(error) or time.monotonic() + pause > deadline:
                    raise self.explain(error) from error
            self.repeated += 1
            time.sleep(pause)
            pause = min(2 * pause, MAX_PAUSE)

    def explain(self, error: DBAPIError) -> StoreError:
        """Return the error to raise for one of the database."""
        cause = error.orig
        reason = redact(" ".join(str(cause).split())[:MAX_REASON], self._secrets)
        code = str(getattr(cause, "sqlite_errorname", "") or getattr(cause, "sqlstate", "") or "")
        if code.startswith(_BUSY):
            return StoreBusy(self.name)
        if code.startswith(_NO_ROOM) or (code.startswith("SQLITE_IOERR") and _is_disk_full(self.name)):
            return StoreFull(self.name)
        if not self.is_sqlite and _is_lost(error):
            return StoreLost(self.name, reason)
        known = (sentence for start, sentence in _REASONS.items() if code.startswith(start))
        sentence = next(known, "the database refused ({code}: {reason})")
        return StoreError(self.name, sentence.format(reason=reason, code=code or type(cause).__name__))


def _is_conflict(error: DBAPIError) -> bool:
    return isinstance(error, IntegrityError) or getattr(error.orig, "sqlstate", None) in _CONFLICTS


def _is_lost(error: DBAPIError) -> bool:
    """Return whether the server cannot be reached, or ended the connection, or is starting."""
    if not hasattr(error.orig, "sqlstate"):
        return False  # SQLite has no connection to lose
    code = str(getattr(error.orig, "sqlstate", "") or "")
    return error.connection_invalidated or not code or code.startswith(("08", "57P", "53300"))


def _is_disk_full(path: str) -> bool:
    try:
        disk = os.statvfs(os.path.dirname(os.path.abspath(path)))
    except (OSError, AttributeError):
        return False
    return disk.f_bavail * disk.f_frsize < 1 << 16


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # transactions begin where we say, not at the first change
    cursor = connection.cursor()
    cursor.execute("PRAGMA foreign_keys = ON")
    # With the write-ahead log a commit survives the end of the process, however it ends; a loss of power may cost the
    # last seconds, never the rest.
    cursor.execute("PRAGMA synchronous = NORMAL")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    # A reader that wants to write later can only fail; a writer says so at the beginning, and waits its turn.
    is_writer = connection.get_execution_options().get("immediate")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writer else "BEGIN")
