"""The schema and its upgrades."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import inspect, text

from steelyard.site import store as package
from steelyard.site.store import Store, StoreError, open_store, upgrade
from steelyard.site.store.database import Database
from steelyard.site.store.errors import NewerSchema
from steelyard.site.store.location import locate
from steelyard.site.store.tables import metadata
from steelyard.site.store.upgrade import LATEST, SCRIPTS
from tests.conftest import ROOT


def describe_tables(database: Database) -> dict[str, Any]:
    """Return the tables as the database has them: columns, keys and indexes."""
    found = inspect(database.engine)
    return {
        name: {
            "columns": [(c["name"], str(c["type"]), c["nullable"]) for c in found.get_columns(name)],
            "key": found.get_pk_constraint(name)["constrained_columns"],
            "unique": sorted(str(u["column_names"]) for u in found.get_unique_constraints(name)),
            "foreign": [(k["constrained_columns"], k["referred_table"]) for k in found.get_foreign_keys(name)],
            "indexes": sorted((i["name"], str(i["column_names"]), bool(i["unique"])) for i in found.get_indexes(name)),
        }
        for name in found.get_table_names()
        if name != "alembic_version"
    }


def test_the_migrations_make_the_tables_that_the_code_expects(store: Store, url: str, tmp_path: Any) -> None:
    made = describe_tables(store._database)
    if store._database.is_sqlite:
        other = Database(locate(str(tmp_path / "expected.sqlite"), create=True))
        metadata.create_all(other.engine)
    else:
        with store._database.engine.begin() as connection:
            connection.execute(text("CREATE SCHEMA expected"))
        other = Database(store._database.engine.url.update_query_dict({"options": "-c search_path=expected"}))
        metadata.create_all(other.engine)
    assert describe_tables(other) == made
    other.close()


def test_the_last_script_is_the_one_the_code_asks_for() -> None:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    assert ScriptDirectory.from_config(config).get_heads() == [LATEST]


def test_an_older_store_is_upgraded_and_keeps_its_pages(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    database = Database(locate(url, create=True))
    with monkeypatch.context() as older:
        older.setattr(upgrade, "LATEST", "0001")
        upgrade.upgrade(database)
    before = describe_tables(database)
    add = text(
        "INSERT INTO readings (digest, content, scoring, words, language, flagged, body)"
        " VALUES (:digest, 'c', 's', 300, 'en', false, :body)"
    )
    with database.engine.begin() as connection:
        for digest in (b"a", b"b"):
            connection.execute(add, {"digest": digest * 32, "body": b"page " + digest})
    database.close()
    with open_store(url) as opened:
        query = text("SELECT id, content, scoring, language, body FROM readings ORDER BY id")
        with opened._database.engine.connect() as connection:
            kept = [(*row[:4], bytes(row[4])) for row in connection.execute(query)]
        after = describe_tables(opened._database)
    assert kept == [(1, "c", "s", "en", b"page a"), (2, "c", "s", "en", b"page b")]
    gone = {name for name, *_ in before["readings"]["columns"]} - {name for name, *_ in after["readings"]["columns"]}
    assert gone == {"words", "flagged"}
    assert {key: value for key, value in before["readings"].items() if key != "columns"} == {
        key: value for key, value in after["readings"].items() if key != "columns"
    }


def test_a_store_of_a_later_version_is_refused(store: Store, url: str) -> None:
    with store._database.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(NewerSchema, match=r"a later version of steelyard made this store \(schema 9999\); upgrade"):
        open_store(url)


def test_alembic_is_imported_before_the_lock(tmp_path: Path) -> None:
    """On a busy machine the import takes seconds, after which a process that waits for the lock gives up."""
    program = """
import sys
from steelyard.site import store
from steelyard.site.store.database import Database

make = Database.upgrade
def upgrade(self, work):
    before = set(sys.modules)
    make(self, work)
    print("alembic.command" in before, sorted(set(sys.modules) - before))
Database.upgrade = upgrade
store.open_store(sys.argv[1]).close()
"""
    command = [sys.executable, "-c", program, str(tmp_path / "sites.sqlite")]
    printed = subprocess.check_output(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, text=True, timeout=300)
    assert printed.startswith("True"), printed


def test_a_database_of_another_program_is_left_alone(url: str) -> None:
    database = Database(locate(url, create=True))
    with database.engine.connect() as connection:
        connection.execute(text("CREATE TABLE audits (id integer)"))
        connection.commit()
    with pytest.raises(StoreError, match="has a table `audits` that is not ours"):
        open_store(url)
    assert inspect(database.engine).get_table_names() == ["audits"]
    database.close()


def find_read_columns() -> set[str]:
    """Return the columns that the store's queries name, as `addresses.c.url`, or take from a row, as `row.url`."""
    files = [path for path in Path(package.__file__).parent.glob("*.py") if path.name != "tables.py"]
    nodes = [node for path in files for node in ast.walk(ast.parse(path.read_text("utf-8")))]
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    of_tables = {n.attr for n in attributes if isinstance(n.value, ast.Attribute) and n.value.attr == "c"}
    rows = ("row", "unfinished")
    return of_tables | {n.attr for n in attributes if isinstance(n.value, ast.Name) and n.value.id in rows}


def test_every_column_is_read() -> None:
    columns = {column.name for table in metadata.tables.values() for column in table.columns}
    assert columns - find_read_columns() == set()
