"""Audits in a store: begun, continued, listed, found, removed, exported."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from steelyard.errors import MissingExtra, SteelyardError
from steelyard.site.model import DUPLICATE, FAILED, LINK, SCORED, Link, Visit
from steelyard.site.store import Audit, AuditRunning, NoSuchAudit, Store, StoreError, open_store, packing
from steelyard.site.store.owner import Owner, _read_start
from tests.conftest import ROOT

Begin = Callable[..., Audit]
Score = Callable[..., dict[str, Any]]
HOME = "https://a.org/"
TEXT = "# Weighing\n\n" + "The master of the weighhouse kept a book of every load. " * 20


def finish_one(audit: Audit, page: dict[str, Any], score: float, content: str = "c") -> None:
    audit.finish(Visit(Link(HOME), SCORED, content=content.rjust(64, "0"), page={**page, "score": score}))
    audit.end("done", {"limits": []})


def test_an_unfinished_audit_with_the_same_settings_is_continued(begin: Begin, store: Store, url: str) -> None:
    first = begin()
    first.add([Link(HOME)])
    assert not first.resumed
    with pytest.raises(AuditRunning, match=f"process {os.getpid()} on "):
        begin()
    store.close()
    with open_store(url) as again:
        second = begin(of=again)
        assert (second.id, second.resumed) == (first.id, True)
        assert second.count() == (0, 1)
        assert second.take(1) == [Link(HOME)]


@pytest.mark.parametrize(
    "other",
    [{"settings": {"max_pages": 11}}, {"as_of": date(2026, 7, 2)}, {"scoring": {"weights": "equal"}},
     {"edition": "2026"}, {"keep_texts": True}, {"fresh": True}],
)  # fmt: skip
def test_an_unfinished_audit_with_other_settings_is_stopped(
    begin: Begin, store: Store, url: str, other: dict[str, Any]
) -> None:
    first = begin()
    first.add([Link(HOME)])
    store.close()
    with open_store(url) as again:
        second = begin(of=again, **other)
        assert (second.id != first.id, second.resumed) == (True, False)
        old = again.read_audit(first.id)
        assert (old.state, old.counts) == ("stopped", {"queued": 1})
        assert "begun instead" in old.end["reason"]


def test_a_process_is_told_from_a_later_one_with_its_number() -> None:
    own = Owner.current()
    assert own.is_alive(0.0)
    assert not Owner(own.host, own.pid, "another boot/1").is_alive(0.0)
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    child.wait()
    assert not Owner(own.host, child.pid, "").is_alive(1e12)
    zombie = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    start = _read_start(zombie.pid)
    if start is not None:  # a system with /proc
        assert Owner(own.host, zombie.pid, start).is_alive(0.0)
    zombie.kill()
    os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)
    assert start is None or not Owner(own.host, zombie.pid, start).is_alive(time.time())
    zombie.wait()


def test_figures_are_those_of_the_scored_pages(begin: Begin, store: Store, score: Score) -> None:
    audit = begin()
    page = score(TEXT)
    for number, points in enumerate((10.0, 20.0, 60.0, 30.0)):
        audit.finish(Visit(Link(f"{HOME}{number}"), SCORED, content=str(number), page={**page, "score": points}))
    audit.finish(Visit(Link(f"{HOME}twin"), DUPLICATE, "the same page", content="0", page={**page, "score": 99.0}))
    audit.finish(Visit(Link(f"{HOME}gone"), FAILED, "status 404", 404), [Link(f"{HOME}more", 1, LINK)])
    for _ in range(2):
        row = store.read_audit(audit.id)
        assert row.counts == {"scored": 4, "duplicate": 1, "failed": 1, "queued": 1}
        assert (row.mean, row.median, row.pages) == (30.0, 25.0, 4)
        if row.state == "running":
            audit.end("done", {"limits": ["pages"]})
    assert (row.state, row.end) == ("done", {"limits": ["pages"]})
    (site,) = store.list_sites()
    assert (site.site, site.audits, site.last) == ("a.org", 1, row)


def test_audits_are_found_by_name_number_and_date(begin: Begin, store: Store, score: Score) -> None:
    page = score(TEXT)
    for month, points in ((1, 50.0), (3, 60.0), (5, 70.0)):
        finish_one(begin(as_of=date(2026, month, 1)), page, points)
    running = begin(as_of=date(2026, 6, 1))
    first, second, third, _ = (row.id for row in store.list_audits("a.org"))
    expected = {
        "latest": third, "previous": second, str(first): first, str(running.id): running.id, "2026-04-30": second,
        "2026-05-01": third, "2030-01-01": third,
    }  # fmt: skip
    assert {which: store.find_audit("a.org", which).id for which in expected} == expected
    for which in ("2025-12-31", "999"):
        with pytest.raises(NoSuchAudit, match=rf"a.org@{which}: there is no such audit .*{third} of 2026-05-01, done"):
            store.find_audit("a.org", which)
    with pytest.raises(NoSuchAudit, match=r"b.org: there is no such site \(there is: a.org\)"):
        store.find_audit("b.org")
    with pytest.raises(SteelyardError, match="did you mean 'latest'"):
        store.find_audit("a.org", "lastest")
    with pytest.raises(NoSuchAudit, match="audit 999"):
        store.read_audit(999)


def count_rows(store: Store) -> dict[str, int]:
    tables = ("audits", "addresses", "readings", "dated", "texts")
    with store._database.engine.connect() as connection:
        return {t: connection.exec_driver_sql(f"SELECT count(*) FROM {t}").scalar_one() for t in tables}  # noqa: S608


def test_retention_removes_old_audits_and_what_only_they_had(begin: Begin, store: Store, score: Score) -> None:
    page = score(TEXT)
    for site in ("a.org", "b.org"):
        for month in (1, 2, 3):
            audit = begin(site, as_of=date(2026, month, 1), keep_texts=True)
            common = {**page, "text": "common"}
            own = {**page, "title": f"{site} {month}", "text": f"{site} {month}"}
            audit.finish(Visit(Link(f"{HOME}same"), SCORED, content="same", page=common))
            audit.finish(Visit(Link(f"{HOME}own"), SCORED, content=f"{site}{month}", page=own))
            audit.end("done", {})
    unfinished = begin("c.org")
    assert count_rows(store) == {"audits": 7, "addresses": 12, "readings": 7, "dated": 1, "texts": 7}
    removed = store.prune(keep=2, site="a.org")
    assert (removed.audits, removed.visits, removed.readings, removed.texts) == (1, 2, 1, 1)
    assert store.prune(keep=1, before=date(2000, 1, 1)).audits == 0
    removed = store.prune(keep=1)
    assert (removed.audits, removed.readings) == (3, 3)
    assert [row.site for row in store.list_sites()] == ["a.org", "b.org", "c.org"]
    assert store.find_audit("a.org").as_of == date(2026, 3, 1)
    kept = store.read_page(store.find_audit("b.org").id, f"{HOME}own")
    assert kept is not None
    assert (kept.page or {})["text"] == "b.org 3"
    assert store.prune(before=date(2100, 1, 1)).audits == 2
    assert count_rows(store) == {"audits": 1, "addresses": 0, "readings": 0, "dated": 0, "texts": 0}
    unfinished.finish(Visit(Link(HOME), FAILED, "timed out"))
    with pytest.raises(ValueError, match="how many audits to keep"):
        store.prune()


def test_a_pruned_file_becomes_smaller(tmp_path: Path, begin: Begin, score: Score) -> None:
    path = tmp_path / "small.sqlite"
    with open_store(str(path)) as store:
        audit = begin(of=store)
        page = score(TEXT)
        for n in range(300):
            audit.finish(
                Visit(Link(f"{HOME}{n}"), SCORED, content=str(n), page={**page, "title": os.urandom(500).hex()})
            )
        audit.end("done", {})
    before = path.stat().st_size
    with open_store(str(path)) as store:
        store.prune(before=date(2100, 1, 1))
    assert path.stat().st_size < before / 4


def test_every_visit_is_exported(begin: Begin, store: Store, score: Score, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    for month in (1, 2):
        audit = begin(as_of=date(2026, month, 1))
        page = {**score(TEXT), "title": "\ud800 half"}
        audit.finish(Visit(Link(HOME), SCORED, status=200, content="c" * 64, page=page))
        audit.finish(Visit(Link(f"{HOME}gone"), FAILED, "status 404", 404))
        audit.end("done", {})
    assert store.export(tmp_path / "all.parquet") == 4
    rows = parquet.read_table(tmp_path / "all.parquet").to_pylist()
    assert [(r["as_of"], r["url"], r["state"]) for r in rows] == [
        (f"2026-0{month}-01", *one) for month in (1, 2) for one in ((HOME, "scored"), (f"{HOME}gone", "failed"))
    ]
    assert rows[0]["score"] == page["score"]
    assert rows[0]["shannon_entropy_points"] == page["components"]["shannon_entropy"]["points"]
    assert rows[0]["flagged"] is page["manipulation"]["flagged"]
    assert (rows[1]["status"], rows[1]["score"], rows[1]["reason"]) == (404, None, "status 404")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".steelyard")] == []
    with pytest.raises(SteelyardError, match="cannot write"):
        store.export(tmp_path / "absent" / "all.parquet")


def test_the_default_is_in_the_users_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STEELYARD_STORE", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with pytest.raises(StoreError, match="no store yet; `steelyard audit URL` makes one"):
        open_store(create=False)
    assert not (tmp_path / "data").exists()
    with open_store() as store:
        assert store.name == str(tmp_path / "data" / "steelyard" / "sites.sqlite")
    assert stat.S_IMODE((tmp_path / "data" / "steelyard").stat().st_mode) == 0o700
    monkeypatch.setenv("STEELYARD_STORE", f"sqlite:///{tmp_path}/other.sqlite")
    with open_store() as store:
        assert store.name == str(tmp_path / "other.sqlite")


def test_a_store_that_cannot_be_opened_is_explained_without_its_password() -> None:
    for url, message in {
        "mysql://me:hidden@db/x": "mysql:: no known kind of store; give a path",
        "sqlite://": "names no file",
        "sqlite:///:memory:": "names no file",
        "/absent/folder/x.sqlite": "no such folder",
        "/tmp": "a directory",  # noqa: S108
        "/dev/zero": "not a regular file",
        "postgresql://me:hidden@host:port/x": "the URL cannot be read",
        "postgresql://me:hidden@127.0.0.1:1/x": "no connection to the database",
        "postgresql://me@127.0.0.1:1/x?password=hidden": "no connection to the database",
        "postgresql://me:hidden@host.invalid/x?sslmode=hidden": "",
    }.items():
        with pytest.raises(StoreError) as caught:
            open_store(url)
        assert message in str(caught.value), url
        error: BaseException | None = caught.value
        while error is not None:
            assert "hidden" not in str(error), url
            error = error.__cause__


def test_a_missing_driver_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steelyard.site.store.location.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"steelyard\[postgresql\]"):
        open_store("postgresql://me@127.0.0.1/x")


def test_missing_packages_name_the_extra_of_audits(tmp_path: Path) -> None:
    store = tmp_path / "sites.sqlite"
    store.touch()
    for package in ("sqlalchemy", "alembic"):
        code = f"import sys; sys.modules[{package!r}] = None; sys.argv[1:] = ['history', '--store', {str(store)!r}]\n"
        command = [sys.executable, "-c", code + "from steelyard.cli.main import main; main()"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert f"needs the package {package!r}; install it with: pip install 'steelyard[site]'" in done.stderr


def test_files_that_are_no_store_are_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, " * 500)
    with pytest.raises(StoreError, match="not a SQLite database; name another file"):
        open_store(str(path))
    assert path.read_text() == "not a database, " * 500


def test_a_store_that_can_only_be_read_says_so(tmp_path: Path, begin: Begin) -> None:
    with open_store(str(tmp_path / "sites.sqlite")) as store:
        audit = begin(of=store)
        for is_on in ("ON", "OFF"):  # so that it can be closed
            if is_on == "OFF":
                with pytest.raises(StoreError, match="can only be read; make it writable"):
                    audit.finish(Visit(Link(HOME), FAILED, "timed out"))
            with store._database.engine.connect() as connection:
                connection.exec_driver_sql(f"PRAGMA query_only = {is_on}")


def test_damage_is_an_error_of_the_store() -> None:
    cells = ("", "[" * 100_000, "[]", "1", '{"a":')
    for body in (b"", b"\0", b"\1broken", b"\0broken", *map(packing.pack_text, cells)):
        with pytest.raises(SteelyardError, match="damaged"):
            packing.unpack(body)
    for cell in cells:
        with pytest.raises(SteelyardError, match="damaged"):
            packing.parse_object(cell)
