"""Access facts in audits, of a site on loopback and of a directory."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from html import escape
from pathlib import Path
from typing import Any

import pytest

from steelyard.site.access.agents import load_agents
from steelyard.site.store import open_store
from tests.conftest import ROOT, run_here
from tests.site.trap_site import Reply, TrapSite, html

HOSTILE = '<b>\x1b[31m=cmd|"'
ROBOTS = "User-agent: *\nDisallow: /private/\n\nUser-agent: GPTBot\nDisallow: /b\n"


def audit(*arguments: str, folder: Path, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
    return run_here(
        "audit", *arguments, "--quiet", cwd=folder, stdin=stdin, XDG_DATA_HOME=str(folder), STEELYARD_STORE=""
    )


def read(*arguments: str, folder: Path) -> dict[str, Any]:
    done = audit(*arguments, "--format", "json", folder=folder)
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def text(number: int) -> str:
    """Return the text of one of the example pages, as HTML."""
    example = sorted((ROOT / "examples" / "site").rglob("*.md"))[number].read_text("utf-8")
    return "".join(f"<p>{escape(part)}</p>" for part in example.split("\n\n"))


@pytest.fixture
def small(site: TrapSite) -> TrapSite:
    site.robots = ROBOTS
    bad = f'<meta name="robots" content="noindex"><script type="application/ld+json">{{"headline": "{HOSTILE}</script>'
    site.pages |= {
        "/": html("/a", "/b", "/c", text=text(0)),
        "/a": html(text=text(1), head='<link rel="canonical" href="/gone">'),
        "/b": html(text=text(2), head=bad),
        "/c": Reply(b"<html><body><div id=app></div><script src=x.js></script></body></html>"),
        "/llms.txt": Reply(b"# Site", headers={"Content-Type": "text/plain"}),
        "/gone": Reply(status=404),
    }
    site.pages["/"].headers["X-Robots-Tag"] = "googlebot: nosnippet"  # type: ignore[union-attr]
    return site


def test_an_audit_has_the_facts_of_its_pages_and_of_the_site(small: TrapSite, tmp_path: Path) -> None:
    small.pages["/"] = html("/a", "/b", "/c", "/gone", text=text(0))
    small.pages["/"].headers["X-Robots-Tag"] = "googlebot: nosnippet"  # type: ignore[union-attr]
    document = read(small.url, folder=tmp_path)
    access = document["audit"]["access"]
    checks = {check["name"]: (check["passed"], check["pages"]) for check in access["checks"]}
    assert checks == {"index": (3, 4), "snippet": (3, 4), "scripts": (3, 4), "canonical": (0, 1), "json_ld": (0, 1)}
    assert (access["pages"], access["passing"]) == (4, 0)
    failed = {check["name"]: check["failed"] for check in access["checks"]}
    broken = f"target broken: {small.url}/gone, failed: answered with status 404 (Not Found)"
    assert failed["canonical"] == {f"{small.url}/a": broken}
    assert failed["snippet"] == {f"{small.url}/": "nosnippet for Googlebot in X-Robots-Tag"}
    agents = {agent["name"]: agent for agent in access["agents"]}
    assert set(agents) == {agent.name for agent in load_agents()}
    assert (agents["GPTBot"]["allowed"], agents["GPTBot"]["pages"], agents["GPTBot"]["named"]) == (3, 4, True)
    assert (agents["ClaudeBot"]["allowed"], agents["ClaudeBot"]["named"]) == (4, False)
    assert [robots["state"] for robots in access["robots"]] == ["read"]
    assert access["llms_txt"] == {"url": f"{small.url}/llms.txt", "state": "read", "reason": ""}
    (lost,) = access["lost_canonicals"]
    assert (lost["url"], lost["canonical"]) == (f"{small.url}/a", f"{small.url}/gone")
    pages = {page["source"]: page["access"] for page in document["pages"]}
    assert pages[f"{small.url}/b"]["forbidden"] == ["GPTBot"]
    assert set(pages[f"{small.url}/b"]["failed"]) == {"index", "json_ld"}
    assert "access" not in document["audit"]["end"]


def test_a_canonical_address_of_another_site_fails_its_check_in_every_report(small: TrapSite, tmp_path: Path) -> None:
    links = [f"/{n}" for n in range(5)]
    head = '<link rel="canonical" href="https://www.other.example/{}">'
    small.pages |= {link: html(text=text(n), head=head.format(n)) for n, link in enumerate(links, start=5)}
    small.pages["/"] = html(*links, text=text(0), head='<link rel="canonical" href="/">')
    reason = "points to another site: https://www.other.example/5"
    access = read(small.url, folder=tmp_path)["audit"]["access"]
    (check,) = (check for check in access["checks"] if check["name"] == "canonical")
    assert (check["passed"], check["pages"]) == (1, 6)
    assert check["failed"][f"{small.url}/0"] == reason
    shown = run_here("audit", small.url, "--no-store", cwd=tmp_path).stdout
    assert f"{small.url}/0: {reason}" in shown
    assert "and 2 others: points to another site" in shown
    rows = csv.DictReader(io.StringIO(audit(small.url, "--no-store", "--format", "csv", folder=tmp_path).stdout))
    assert [row["access_failed"] for row in rows if row["url"].endswith("/0")] == [f"canonical: {reason}"]


def test_every_report_names_them_and_shows_nothing_hostile(small: TrapSite, tmp_path: Path) -> None:
    shown = run_here("audit", small.url, "--no-store", cwd=tmp_path).stdout
    assert "access: facts, no part of any score" in shown
    assert "1 of 4 pages pass all checks that apply to them" in shown
    assert "3 of 4  GPTBot (OpenAI, training), named in robots.txt" in shown
    assert "llms.txt: there is one (a fact, no advice" in shown
    page = audit(small.url, "--no-store", "--format", "html", folder=tmp_path).stdout
    assert 'id="access"' in page
    assert "3 of 4" in page
    for written in (shown, page):
        assert "\x1b" not in written
        assert "<b>\x1b" not in written
    rows = csv.DictReader(io.StringIO(audit(small.url, "--no-store", "--format", "csv", folder=tmp_path).stdout))
    (row,) = [row for row in rows if row["url"].endswith("/b")]
    assert row["access_failed"].startswith("index: noindex for everybody")
    assert row["agents_forbidden"] == "GPTBot"


def test_facts_are_kept_in_the_store_and_exported(small: TrapSite, tmp_path: Path) -> None:
    audit(small.url, "--store", "kept.sqlite", folder=tmp_path)
    with open_store(str(tmp_path / "kept.sqlite")) as store:
        audited = store.find_audit(small.url.removeprefix("http://"))
        visits = {visit.url: visit for visit in store.read_visits(audited.id)}
        assert set(visits[f"{small.url}/b"].access.failed) == {"index", "json_ld"}  # type: ignore[union-attr]
        assert audited.end["access"]["llms_txt"]["state"] == "read"
        parquet = pytest.importorskip("pyarrow.parquet")
        store.export(tmp_path / "all.parquet")
        rows = {row["url"]: row for row in parquet.read_table(tmp_path / "all.parquet").to_pylist()}
    row = rows[f"{small.url}/b"]
    assert (row["access_failed"], row["agents_forbidden"], row["access_checks"]) == ("index, json_ld", "GPTBot", 4)


def test_what_was_not_asked_for_is_not_known(small: TrapSite, tmp_path: Path) -> None:
    access = read(small.url, "--ignore-robots", "--no-store", folder=tmp_path)["audit"]["access"]
    assert (access["robots"], access["agents"]) == ([], [])
    shown = run_here("audit", small.url, "--ignore-robots", "--no-store", cwd=tmp_path).stdout
    assert "robots.txt was not read, so what agents may ask for is not known" in shown
    small.robots = "User-agent: *\nDisallow: /\n"
    done = run_here("audit", small.url, "--no-store", cwd=tmp_path)
    assert (done.returncode, "no page was read, so what agents may ask for" in done.stdout) == (2, True)


@pytest.mark.parametrize(
    ("reply", "state"),
    [
        (Reply(b"<!doctype html><html><body>All is well</body></html>"), "absent"),
        (Reply(b"  "), "absent"),
        (Reply(status=404), "absent"),
        (Reply(status=500), "unreadable"),
        (Reply(b"# Site\n" * 1_000_000, headers={"Content-Type": "text/plain"}), "read"),
    ],
)
def test_a_page_for_any_address_is_no_llms_txt(small: TrapSite, tmp_path: Path, reply: Reply, state: str) -> None:
    small.pages["/llms.txt"] = reply
    arguments = ("--retries", "0", "--max-pages", "2", "--no-store")
    assert read(small.url, *arguments, folder=tmp_path)["audit"]["access"]["llms_txt"]["state"] == state


def test_llms_txt_is_asked_for_once_and_not_where_robots_txt_forbids_it(small: TrapSite, tmp_path: Path) -> None:
    read(small.url, "--no-store", folder=tmp_path)
    assert [asked.path for asked in small.log].count("/llms.txt") == 1
    small.robots = "User-agent: *\nDisallow: /llms.txt\n"
    access = read(small.url, "--no-store", folder=tmp_path)["audit"]["access"]
    assert access["llms_txt"]["state"] == "not asked"
    assert [asked.path for asked in small.log].count("/llms.txt") == 1


def test_a_directory_has_its_own_robots_and_llms_txt(tmp_path: Path) -> None:
    for name, number in (("a.html", 1), ("b.html", 2)):
        (tmp_path / "pages" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "pages" / name).write_text(f"<html><title>{name}</title><body>{text(number)}</body></html>")
    done = read("--from-dir", "pages", folder=tmp_path)["audit"]["access"]
    assert (done["robots"][0]["state"], done["llms_txt"]["state"]) == ("absent", "absent")
    assert {agent["allowed"] for agent in done["agents"]} == {2}
    (tmp_path / "pages" / "robots.txt").write_text(ROBOTS)
    (tmp_path / "pages" / "llms.txt").write_text("# Site")
    document = read("--from-dir", "pages", folder=tmp_path)
    assert {page["source"] for page in document["pages"]} == {"pages/a.html", "pages/b.html"}
    access = document["audit"]["access"]
    assert (access["robots"][0]["state"], access["llms_txt"]["state"]) == ("read", "read")
    assert {a["name"]: a["allowed"] for a in access["agents"] if a["allowed"] < 2} == {"GPTBot": 1}
