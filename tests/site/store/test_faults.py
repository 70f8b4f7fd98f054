"""Killed audits, audits at the same time, full disks, locked and lost databases: nothing lost, nothing duplicated."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from steelyard.site.model import FAILED, LINK, Link, Visit
from steelyard.site.store import Audit, AuditRunning, Store, StoreError, open_store
from steelyard.site.store import database as database_module
from steelyard.site.store.errors import AuditLost, StoreBusy, StoreFull, StoreLost
from tests.site.store.conftest import DAY
from tests.site.store.postgresql_server import Server

ROOT = Path(__file__).resolve().parents[3]
AUDITOR = Path(__file__).with_name("auditor.py")
BEGIN: dict[str, Any] = {"as_of": DAY, "edition": "paper", "scoring": {}, "keep_texts": False}


def start(url: str, site: str, pages: int, acknowledged: Path, pause: float = 0.0) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, str(AUDITOR), url, site, str(pages), str(acknowledged), str(pause)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
    )


def finish(process: subprocess.Popen[bytes]) -> str:
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err.decode()
    return err.decode()


def wait_for(path: Path, lines: int) -> None:
    """Wait until so many pages are reported as finished."""
    for _ in range(6_000):
        if path.exists() and path.read_bytes().count(b"\n") >= lines:
            return
        time.sleep(0.01)
    raise AssertionError("the audit does not get on")


def check_whole(store: Store, site: str, pages: int) -> None:
    audit = store.find_audit(site)
    visits = list(store.read_visits(audit.id))
    assert audit.state == "done"
    assert audit.counts == {"scored": pages}
    assert sorted(int(v.url.rpartition("/")[2]) for v in visits) == list(range(pages))
    for visit in visits:
        number = int(visit.url.rpartition("/")[2])
        assert visit.page is not None
        assert visit.page["words"] == number
        assert visit.content == f"{number:064}"


def test_an_audit_killed_at_any_moment_is_continued_and_loses_nothing(url: str, tmp_path: Path) -> None:
    acknowledged = tmp_path / "acknowledged"
    rng = random.Random(18)
    pages, done = 200, 0
    for _ in range(3):
        process = start(url, "a.org", pages, acknowledged)
        wait_for(acknowledged, done + 1 + rng.randrange(30))
        time.sleep(rng.random() * 0.01)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        reported = acknowledged.read_text().split()
        done = len(reported)
        with open_store(url) as store:
            (audit,) = store.list_audits("a.org")
            kept = {visit.url for visit in store.read_visits(audit.id)}
            assert set(reported) <= kept
            assert len(kept) - len(set(reported)) <= 3  # at most one for each kill was kept and not reported
    assert done < pages, "too fast to be killed in time"
    finish(start(url, "a.org", pages, acknowledged))
    reported = acknowledged.read_text().split()
    assert len(reported) == len(set(reported)), "a page was visited twice"
    with open_store(url) as store:
        check_whole(store, "a.org", pages)
        assert len(store.list_audits("a.org")) == 1


def test_audits_of_different_sites_run_at_the_same_time(url: str, tmp_path: Path) -> None:
    sites = ("a.org", "b.org")
    for process in [start(url, site, 60, tmp_path / site) for site in sites]:  # which also make the tables together
        finish(process)
    with open_store(url) as store:
        for site in sites:
            check_whole(store, site, 60)


def test_a_second_audit_of_the_same_site_is_refused(url: str, tmp_path: Path) -> None:
    first = start(url, "a.org", 10_000, tmp_path / "first", pause=0.02)
    wait_for(tmp_path / "first", 3)
    second = start(url, "a.org", 10_000, tmp_path / "second")
    _, err = second.communicate(timeout=600)
    first.kill()
    first.communicate()
    assert second.returncode == 1
    assert b"AuditRunning: a.org: process " in err
    assert f"process {first.pid} on ".encode() in err
    assert not (tmp_path / "second").exists()


def test_of_many_that_begin_at_once_one_audits_the_site(url: str, tmp_path: Path) -> None:
    processes = [start(url, "a.org", 40, tmp_path / str(n), pause=0.02) for n in range(3)]
    errors = [process.communicate(timeout=120)[1].decode() for process in processes]
    assert sum("AuditRunning" in error for error in errors) + sum(p.returncode == 0 for p in processes) == 3, errors
    with open_store(url) as store:
        assert store.find_audit("a.org").counts == {"scored": 40}


def test_retention_takes_nothing_that_a_running_audit_uses(url: str, tmp_path: Path) -> None:
    finish(start(url, "a.org", 100, tmp_path / "a"))
    process = start(url, "b.org", 100, tmp_path / "b", pause=0.005)  # which has the same pages
    wait_for(tmp_path / "b", 5)
    with open_store(url) as store:
        assert store.prune(before=date(2100, 1, 1)).audits == 1
        while process.poll() is None:
            store.prune(before=date(2100, 1, 1), site="a.org")
            time.sleep(0.01)
        finish(process)
        check_whole(store, "b.org", 100)


def test_a_process_that_was_replaced_cannot_write_any_more(store: Store, url: str) -> None:
    audit = store.begin_audit("a.org", "https://a.org/", {}, **BEGIN)
    audit.add([Link("https://a.org/")])
    with store._database.engine.begin() as connection:  # as if this process were on a host without a sign of life
        connection.exec_driver_sql("UPDATE audits SET host = 'elsewhere', beat = 0")
    with open_store(url) as other:
        taken_over = other.begin_audit("a.org", "https://a.org/", {}, **BEGIN)
        assert taken_over.resumed
        assert taken_over.id == audit.id
        with pytest.raises(AuditLost, match="taken over"):
            audit.finish(Visit(Link("https://a.org/"), FAILED, "timed out"))
        assert taken_over.count() == (0, 1)
        with store._database.engine.begin() as connection:
            connection.exec_driver_sql("UPDATE audits SET host = 'elsewhere'")
        with pytest.raises(AuditRunning, match="on elsewhere"):
            store.begin_audit("a.org", "https://a.org/", {}, **BEGIN)


def test_a_locked_database_is_reported_and_nothing_is_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "BUSY_SECONDS", 0.2)
    path = tmp_path / "sites.sqlite"
    with open_store(str(path)) as store:
        audit = store.begin_audit("a.org", "https://a.org/", {}, **BEGIN)
        audit.add([Link("https://a.org/")])
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy, match=r"locked for too long.*continues"):
            audit.finish(Visit(Link("https://a.org/"), FAILED, "timed out"))
        assert audit.count() == (0, 1)
        assert store.read_audit(audit.id).counts == {"queued": 1}  # readers do not wait
        other.execute("COMMIT")
        other.close()
        audit.finish(Visit(Link("https://a.org/"), FAILED, "timed out"))
        assert store.read_audit(audit.id).counts == {"failed": 1}


def test_a_writer_waits_for_another_one(tmp_path: Path) -> None:
    path = tmp_path / "sites.sqlite"
    with open_store(str(path)) as store:
        audit = store.begin_audit("a.org", "https://a.org/", {}, **BEGIN)
        other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")
        timer = threading.Timer(0.5, other.commit)
        timer.start()
        audit.finish(Visit(Link("https://a.org/"), FAILED, "timed out"))
        timer.join()
        other.close()
        assert audit.count() == (1, 1)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of three megabytes."""
    if sys.platform != "linux" or os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root can mount a small disk")
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)], check=False).returncode:
        pytest.skip("this container may not mount a disk")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(audit: Audit, finished: list[str]) -> None:
    for number in range(5_000):
        links = [Link(f"https://a.org/{number}/{n}", 1, LINK) for n in range(20)]
        audit.finish(Visit(Link(f"https://a.org/{number:05}"), FAILED, "x" * 200), links)
        finished.append(f"https://a.org/{number:05}")


def test_a_full_disk_is_reported_and_the_audit_is_continued_when_there_is_room(small_disk: Path) -> None:
    url = str(small_disk / "sites.sqlite")
    filler = small_disk / "filler"
    with open_store(url) as store:
        audit = store.begin_audit("a.org", "https://a.org/", {}, **BEGIN)
        filler.write_bytes(bytes(1_500_000))
        finished: list[str] = []
        with pytest.raises(StoreFull, match=r"disk of the store is full.*continues"):
            fill(audit, finished)
        assert finished
        # While the disk is full, what is finished can be read.
        assert [visit.url for visit in store.read_visits(audit.id)] == finished
    filler.unlink()
    with open_store(url) as store:
        again = store.begin_audit("a.org", "https://a.org/", {}, **BEGIN)
        assert again.resumed
        assert again.count() == (len(finished), 21 * len(finished))
        again.finish(Visit(Link("https://a.org/last"), FAILED, "timed out"))
        again.end("done", {})
        assert store.read_audit(again.id).counts["failed"] == len(finished) + 1


@pytest.mark.full
def test_a_server_that_restarts_in_mid_audit_loses_nothing(postgresql: Server, tmp_path: Path) -> None:
    url = postgresql.make_database()
    process = start(url, "a.org", 300, tmp_path / "acknowledged", pause=0.01)
    for lines in (20, 60):
        wait_for(tmp_path / "acknowledged", lines)
        postgresql.stop()
        time.sleep(1.0)
        postgresql.start()
    finish(process)
    reported = (tmp_path / "acknowledged").read_text().split()
    assert len(reported) == len(set(reported)) == 300
    with open_store(url) as store:
        check_whole(store, "a.org", 300)


@pytest.mark.full
def test_a_server_that_stays_away_is_reported_and_the_audit_is_continued(
    postgresql: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module.Database.write, "__defaults__", (1.0,))
    url = postgresql.make_database()
    store = open_store(url)
    audit = store.begin_audit("a.org", "https://a.org/", {}, **BEGIN)
    audit.finish(Visit(Link("https://a.org/1"), FAILED, "timed out"))
    postgresql.stop()
    try:
        with pytest.raises(StoreLost, match=r"no connection to the database.*continues"):
            audit.finish(Visit(Link("https://a.org/2"), FAILED, "timed out"))
        store.close()  # must neither raise nor wait for ever
        with pytest.raises(StoreError, match="no connection"):
            open_store(url)
    finally:
        postgresql.start()
    with open_store(url) as store, store._database.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE audits SET owner = NULL")  # this process still lives
    with open_store(url) as store:
        again = store.begin_audit("a.org", "https://a.org/", {}, **BEGIN)
        assert again.resumed
        assert again.count() == (1, 1)
