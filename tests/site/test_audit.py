"""`steelyard audit` as a user runs it: on a site full of traps, interrupted, and without a network."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jsonschema
import pytest

from steelyard.pages.json_document import SCHEMA
from steelyard.scoring import editions
from steelyard.settings import Settings
from steelyard.site.audit import Plan, run_audit
from steelyard.site.store import open_store
from tests.conftest import ROOT, SHARED_DATA, run_here
from tests.site.trap_site import TrapSite, html, list_traps, redirect, spell

HTML = ROOT / "examples" / "html"
REAL = SHARED_DATA / "html"
OPTIONS = "--timeout 2 --retries 1 --max-bytes 2000000 --max-pages 3000 --as-of 2026-07-01 --quiet".split()


def audit(*arguments: str, folder: Path, **environment: Any) -> subprocess.CompletedProcess[str]:
    return run_here("audit", *arguments, cwd=folder, XDG_DATA_HOME=str(folder), STEELYARD_STORE="", **environment)


def read_rows(done: subprocess.CompletedProcess[str]) -> list[dict[str, str]]:
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with four of the pages."""
    folder = tmp_path_factory.mktemp("few")
    for path in sorted(HTML.rglob("*.html"))[:4]:
        shutil.copy(path, folder)
    return folder


def serve_traps(directory: Path) -> TrapSite:
    """Return a site whose front page leads to real pages and to the traps."""
    site = TrapSite(directory=directory)
    site.pages["/traps"] = list_traps(site)["/"]
    site.pages["/"] = html("/traps", *site.files, text="<p>All pages of this site.</p>" * 10)
    return site


EXAMPLES = pytest.param((HTML, ("12",)), id="examples")
REAL_PAGES = pytest.param((REAL, ("12", "3")), id="real pages", marks=pytest.mark.full)


@pytest.fixture(scope="module", params=[EXAMPLES, REAL_PAGES])
def trapped(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[TrapSite, list[dict[str, Any]]]]:
    """The site with its log, and the audits of it, each with so many requests at a time."""
    directory, concurrencies = request.param
    if not directory.is_dir():
        pytest.skip(f"{directory} is not here (STEELYARD_DATA names the folder)")
    with serve_traps(directory).serving() as site:
        found = []
        for concurrency in concurrencies:
            folder = tmp_path_factory.mktemp("audit")
            site.forget_tries()
            done = audit(site.url, "--format", "json", "--concurrency", concurrency, *OPTIONS, folder=folder)
            assert done.returncode == 0, done.stderr
            found.append(json.loads(done.stdout))
        yield site, found


def describe(document: dict[str, Any]) -> dict[str, str]:
    """Return the state or the error of each path."""
    entries = {page["source"]: page["state"] for page in document["pages"]}
    entries |= {error["source"]: error["error"] for error in document["errors"]}
    return {urlsplit(url)._replace(scheme="", netloc="").geturl(): text for url, text in entries.items()}


def test_every_page_is_scored_and_everything_else_has_its_reason(trapped: Any) -> None:
    site, (document, *_) = trapped
    jsonschema.validate(document, SCHEMA)
    found = describe(document)
    for path in site.files:
        assert found[path] == "scored", (path, found[path])
    for path, reason in {
        "/shell": "not measured: needs JavaScript",
        "/soft404/one": "not measured: says “Page not found”",
        "/image.png": "not measured: is image/png",
        "/loop/a": "failed: ",
        "/chain/0": "failed: ",
        "/huge": "not measured: is larger than 2,000,000 bytes",
        "/bomb": "not measured: is larger than 2,000,000 bytes",
        "/nested": "",
        "/drip-body": "failed: timed out",
        "/drip-headers": "failed: timed out",
        "/gone": "failed: answered with status 410",
        "/forbidden/page.html": "excluded: ",
        "/off-site-redirect": "excluded: ",
        "/private-redirect": "excluded: ",
    }.items():
        assert found[path].startswith(reason), (path, found[path])
        assert found[path] not in ("scored", "duplicate"), path
    assert found["/busy"] in ("scored", "duplicate")  # after it was asked again


def test_the_rules_of_the_site_are_kept(trapped: Any) -> None:
    site, _ = trapped
    asked = site.paths()
    assert "/forbidden/except.html" in asked
    assert not [path for path in asked if path in ("/forbidden/page.html", "/x.secret", "/nofollow-link")]
    assert not [path for path in asked if path.startswith("/behind-nofollow")]
    assert {one.headers["user-agent"].partition("/")[0] for one in site.log} == {"steelyard"}
    assert {one.headers["host"] for one in site.log} == {f"127.0.0.1:{site.port}"}


@pytest.mark.parametrize("trapped", [REAL_PAGES], indirect=True)
def test_two_runs_find_the_same(trapped: Any) -> None:
    _, (one, other) = trapped
    assert describe(one) == describe(other)
    assert {p["source"]: p["score"] for p in one["pages"]} == {p["source"]: p["score"] for p in other["pages"]}
    assert one["audit"]["duplicates"] == other["audit"]["duplicates"]


def test_the_summary_names_limits_orphans_and_duplicates(trapped: Any) -> None:
    _, (document, *_) = trapped
    summary = document["audit"]
    notes = " ".join(summary["end"]["notes"])
    assert "clicks from the start" in notes
    assert "differ only in their queries" in notes
    assert "sitemap-bad.xml could not be read" in notes
    kinds = " ".join(reason["reason"] for group in summary["duplicates"] for reason in group["others"])
    assert "canonical" in kinds
    orphans = {urlsplit(url).path for url in summary["orphan_pages"]}
    merged = {urlsplit(other["url"]).path for group in summary["duplicates"] for other in group["others"]}
    assert "/orphan" in orphans | merged
    assert sum(summary["addresses"].values()) == len(document["pages"]) + len(document["errors"])


def test_a_killed_audit_is_continued(tmp_path: Path) -> None:
    with TrapSite(generated=25, traps=False).serving() as site:
        whole = audit(site.url, "--format", "csv", *OPTIONS, "--no-store", folder=tmp_path)
        site.log.clear()
        slowly = (site.url, "--delay", "0.1", "--concurrency", "1", *OPTIONS)
        fixed = {"PYTHONPATH": str(ROOT), "XDG_DATA_HOME": str(tmp_path), "STEELYARD_STORE": ""}
        process = subprocess.Popen(
            [sys.executable, "-m", "steelyard", "audit", "--progress", "json", *slowly],
            cwd=tmp_path, env={**os.environ, **fixed}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert process.stderr is not None
        for line in process.stderr:
            event = json.loads(line)
            if event["event"] == "progress" and event["finished"] > 8:
                break
        process.kill()
        process.communicate(timeout=600)
        before = len(site.paths())
        time.sleep(0.3)
        site.log.clear()
        done = audit(*slowly, "--format", "csv", folder=tmp_path)
        assert (done.returncode, done.stdout) == (0, whole.stdout), done.stderr
        assert len(site.paths()) < len(whole.stdout.splitlines()) - before + 8


def test_an_audit_whose_time_is_over_reports_what_it_has_and_is_continued(tmp_path: Path) -> None:
    with TrapSite(generated=30, traps=False).serving() as site:
        for path in ("/", "/g/b", "/g/c"):  # the same text, so that there are duplicates to mark, and to mark again
            site.pages[path] = html(
                *(f"/g/{spell(n)}" for n in range(1, 30)), text="<p>One text on three pages.</p>" * 9
            )
        whole = audit(site.url, "--format", "csv", *OPTIONS, "--no-store", folder=tmp_path)
        command = (site.url, "--delay", "1", "--concurrency", "1", "--as-of", "2026-07-01", "--format", "json")
        stopped = audit(*command, "--max-pages", "3000", "--max-bytes", "2000000", "--max-time", "15", folder=tmp_path)
        assert stopped.returncode == 0, stopped.stderr
        assert "stopped by --max-time; the same command continues the audit" in stopped.stderr
        (note,) = json.loads(stopped.stdout)["audit"]["end"]["notes"]
        assert note.startswith("the limit of seconds (15) was reached; known and not visited: ")
        before = len(site.paths())
        site.log.clear()
        done = audit(site.url, "--format", "csv", "--progress", "json", *OPTIONS, folder=tmp_path)
        assert (done.returncode, done.stdout) == (0, whole.stdout), done.stderr
        assert '"resumed": true' in done.stderr
        assert len(site.paths()) < len(whole.stdout.splitlines()) < before + len(site.log)


def test_the_threshold_decides_the_exit_code(few: Path, tmp_path: Path) -> None:
    for least, code in (("10", 0), ("99", 1)):
        done = audit("--from-dir", str(few), "--min-score", least, "--quiet", folder=tmp_path)
        assert done.returncode == code, done.stderr
    assert "below 99" in done.stderr
    assert list(tmp_path.iterdir()) == []  # nothing is kept of a directory


def test_what_cannot_be_audited_is_said_in_one_line(tmp_path: Path) -> None:
    local = "http://127.0.0.1:9/"
    for arguments, message in (
        ((), "give an address"),
        (("https://a.example", "--from-dir", "."), "give an address"),
        (("mailto:me@a.example",), "is no address"),
        (("--from-dir", "nowhere"), "nowhere: no such directory"),
        (("--urls", "nowhere.txt"), "nowhere.txt"),
        (("--from-dir", ".", "--max-time", "5"), "--max-time is for a site"),
        ((local, "--header", "X=NOT_SET_ANYWHERE"), "NOT_SET_ANYWHERE is not set"),
        ((local, "--retries", "0", "--no-store"), f"no page could be scored: {local}"),
    ):
        done = audit(*arguments, "--quiet", folder=tmp_path)
        assert (done.returncode, message in done.stderr) == (2, True), (arguments, done.stderr)
        assert "Traceback" not in done.stderr


def test_a_list_of_addresses(tmp_path: Path) -> None:
    with TrapSite(directory=HTML, traps=False).serving() as site:
        wanted = sorted(site.files)[:2]
        lines = ["# two pages", "", *(site.url + path for path in wanted)]
        (tmp_path / "list.txt").write_text("\n".join(lines))
        done = audit("--urls", "list.txt", "--format", "csv", *OPTIONS, "--no-store", folder=tmp_path)
        assert sorted(urlsplit(row["url"]).path for row in read_rows(done)) == wanted
        (tmp_path / "list.txt").write_text("\n".join([*lines, "https://elsewhere.example/"]))
        done = audit("--urls", "list.txt", *OPTIONS, folder=tmp_path)
        assert (done.returncode, "one site at a time" in done.stderr) == (2, True)


def test_a_secret_header_reaches_the_site_and_nothing_else(tmp_path: Path) -> None:
    with TrapSite(directory=HTML, traps=False).serving() as site:
        options = ("--header", "Authorization=STAGING", "--max-pages", "3", "--quiet", "--format", "json")
        done = audit(site.url, *options, folder=tmp_path, STAGING="Bearer very-secret-7")
        assert done.returncode == 0, done.stderr
        assert {one.headers.get("authorization") for one in site.log} == {"Bearer very-secret-7"}
        stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
        assert b"very-secret-7" not in stored + done.stdout.encode() + done.stderr.encode()


def test_one_page_by_its_address() -> None:
    with TrapSite(directory=HTML).serving() as site:
        path = sorted(site.files)[0]
        done = run_here("score", site.url + path, site.url + "/image.png", "--format", "json")
        document = json.loads(done.stdout)
        assert done.returncode == 2
        assert [page["source"] for page in document["pages"]] == [site.url + path]
        assert "is image/png, not a page" in document["errors"][0]["error"]
        assert "/robots.txt" not in site.paths()


def test_the_start_page_is_scored_where_the_site_sends_everybody_there(tmp_path: Path) -> None:
    with TrapSite(directory=HTML, traps=False).serving() as site:
        site.pages["/"] = html(*sorted(site.files)[:2], text="<p>All pages of this small site, and more. </p>" * 12)
        site.answer_unknown = lambda _: redirect("/")
        done = audit(site.url, "--format", "csv", "--no-store", *OPTIONS, folder=tmp_path)
        states = {urlsplit(row["url"]).path: row["state"] for row in read_rows(done)}
        assert states == {"/": "scored", **dict.fromkeys(sorted(site.files)[:2], "scored")}


def test_an_interrupted_audit_goes_on_with_its_own_date(few: Path, tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "s.sqlite"))
    settings = Settings.resolve(as_of=date(2026, 6, 30), detect=True)
    plan = Plan(few.name, directory=str(few))

    def stop(finished: int, known: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_audit(plan, store, settings, jobs=1, progress=stop)
    store.close()
    command = ("--from-dir", str(few), "--store", "s.sqlite", "--format", "json", "--quiet")
    found = json.loads(audit(*command, folder=tmp_path, STEELYARD_AS_OF="").stdout)
    assert (found["scoring"]["as_of"], found["audit"]["number"]) == ("2026-06-30", 1)
    other = tmp_path / few.name
    shutil.copytree(few, other)
    again = json.loads(audit("--from-dir", str(other), *command[2:], folder=tmp_path, STEELYARD_AS_OF="").stdout)
    assert (again["audit"]["number"], again["audit"]["addresses"]["failed"]) == (2, 0)


def test_an_audit_in_another_edition_than_the_last_says_so_unless_it_was_chosen(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text(
        "# Tides\n\n" + "The harbour board says that high water comes twice a day. " * 30, "utf-8"
    )
    arguments = ("--from-dir", "docs", "--store", "s.sqlite", "--quiet", "--format", "json")
    other = next(name for name in editions.NAMES if name != editions.DEFAULT)
    for more, said in (
        ((), False),
        (("--edition", other), False),
        ((), True),
        (("--edition", editions.DEFAULT), False),
    ):
        done = audit(*arguments, *more, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        assert (f"is in edition {other}, and this one is in {editions.DEFAULT}" in done.stderr) is said
        assert (f"--edition {other} goes on with {other}" in done.stderr) is said
