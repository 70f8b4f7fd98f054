"""Bring a store's schema up to date with Alembic, or refuse one that is newer."""

from __future__ import annotations

import contextlib
from pathlib import Path

from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import DBAPIError

from steelyard.errors import MissingExtra
from steelyard.site.store.database import Database
from steelyard.site.store.errors import NewerSchema, StoreError, StoreLost

LATEST = "0003"  # the last file in migrations/versions, which a test checks
SCRIPTS = Path(__file__).parent / "migrations"


def upgrade(database: Database) -> None:
    """Make or upgrade the tables; a store that is up to date is only read.

    Raises:
        NewerSchema: A later version of this package made the store.
        StoreError: The database cannot be used, or holds something else.
    """
    if database.is_sqlite:
        _prepare_file(database)
    try:
        if database.read(_find_version, patience=0.0) != LATEST:
            migrations = _Migrations()  # imported before the lock: whoever waits for it gives up after seconds
            database.upgrade(lambda connection: migrations.run(connection, database.name))
    except StoreLost as error:
        advice = "check that the server runs, the address, the user and the password"
        raise StoreError(database.name, f"no connection to the database ({error.reason}); {advice}") from error


def _prepare_file(database: Database) -> None:
    """Set what SQLite keeps in the file: the write-ahead log, and that removed pages can be given back."""
    connection = None
    try:
        connection = database.engine.raw_connection()
        cursor = connection.cursor()
        if cursor.execute("PRAGMA page_count").fetchone()[0] == 0:
            cursor.execute("PRAGMA auto_vacuum = INCREMENTAL")
        if cursor.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            cursor.execute("PRAGMA journal_mode = WAL")
    except DBAPIError as error:
        raise database.explain(error) from error
    except database.engine.dialect.loaded_dbapi.Error as error:
        raise database.explain(DBAPIError(None, None, error)) from error
    finally:
        if connection is not None:
            connection.close()


def _find_version(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    row = connection.execute(text("SELECT version_num FROM alembic_version")).first()
    return None if row is None else str(row[0])


class _Migrations:
    """Alembic with the files in migrations/, read."""

    def __init__(self) -> None:
        try:
            from alembic import command
            from alembic.config import Config
            from alembic.script import ScriptDirectory
        except ImportError as error:
            raise MissingExtra("site", "alembic") from error
        self._upgrade = command.upgrade
        self._config = Config()
        self._config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
        self._known = [script.revision for script in ScriptDirectory.from_config(self._config).walk_revisions()]

    def run(self, connection: Connection, name: str) -> None:
        version = _find_version(connection)  # again: another process may have made the tables meanwhile
        if version == LATEST:
            return
        if version is not None and version not in self._known:
            raise NewerSchema(name, version)
        if version is None and inspect(connection).has_table("audits"):
            raise StoreError(name, "the database has a table `audits` that is not ours; name another database")
        self._config.attributes["connection"] = connection
        with contextlib.redirect_stdout(None):
            self._upgrade(self._config, LATEST)
