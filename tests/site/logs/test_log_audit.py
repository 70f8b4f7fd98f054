"""`steelyard audit --log`: the visits of agents beside the scores, and hostile logs."""

from __future__ import annotations

import csv
import gzip
import io
import json
import subprocess
from html import escape
from pathlib import Path
from typing import Any

import pytest

from steelyard.site.store import open_store
from tests.conftest import ROOT, run_here
from tests.site.trap_site import TrapSite, html

COMBINED = '203.0.113.7 - - [{time}] "GET {target} HTTP/1.1" {status} 10 "-" "{agent}"\n'
HOSTILE = "\x1b[31m<script>alert(1)</script>\u202e"


def line(target: str, agent: str = "GPTBot/1.1", status: int = 200, time: str = "10/Oct/2026:13:55:36 +0000") -> bytes:
    return COMBINED.format(time=time, target=target, status=status, agent=agent).encode()


def audit(*arguments: str, folder: Path, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
    return run_here("audit", *arguments, cwd=folder, stdin=stdin, XDG_DATA_HOME=str(folder), STEELYARD_STORE="")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with three pages in it, the first of which scores least."""
    examples = sorted((ROOT / "examples" / "site").rglob("*.md"))
    for number, name in enumerate(("low", "index", "other"), start=3):
        text = examples[number].read_text("utf-8") if name != "low" else "# Low\n\n" + "This is a very good page. " * 40
        (tmp_path / "pages").mkdir(exist_ok=True)
        (tmp_path / "pages" / f"{name}.md").write_text(text)
    return tmp_path


def read(folder: Path, *logs: str, stdin: bytes = b"") -> dict[str, Any]:
    arguments = [part for log in logs for part in ("--log", log)]
    done = audit("--from-dir", "pages", *arguments, "--format", "json", "--quiet", folder=folder, stdin=stdin)
    assert done.returncode == 0, done.stderr
    entry: dict[str, Any] = json.loads(done.stdout)["audit"]["logs"]
    return entry


def test_visits_are_joined_with_scores(folder: Path) -> None:
    log = line("/low") * 5 + line("/low.md") + line("/") * 2 + line("/new", "ClaudeBot/1.0", 404) * 3
    (folder / "a.log").write_bytes(log + b"rubbish\n")
    logs = read(folder, "a.log")
    assert (logs["lines"], logs["malformed"], logs["visits"], logs["pages_visited"]) == (12, 1, 11, 2)
    assert [(page["url"], page["read"], page["low"]) for page in logs["pages"]] == [
        ("pages/low.md", 6, True), ("pages/index.md", 2, False),
    ]  # fmt: skip
    assert [(one["address"], one["not_found"], one["agents"]) for one in logs["not_found"]] == [
        ("/new", 3, {"ClaudeBot": 3})
    ]
    assert [(one["address"], one["visits"]) for one in logs["unknown"]] == [("/new", 3)]
    assert [(one["name"], one["visits"], one["read"]) for one in logs["agents"]] == [
        ("GPTBot", 8, 8),
        ("ClaudeBot", 3, 0),
    ]
    shown = audit("--from-dir", "pages", "--log", "a.log", folder=folder).stdout
    assert "read most, of the pages that score below the median" in shown
    assert "which anybody can forge" in shown
    assert "203.0.113.7" not in shown + json.dumps(logs)
    table = audit("--from-dir", "pages", "--log", "a.log", "--format", "csv", "--quiet", folder=folder).stdout
    assert {row["url"]: row["agent_visits"] for row in csv.DictReader(io.StringIO(table))} == {
        "pages/low.md": "6", "pages/index.md": "2", "pages/other.md": "0",
    }  # fmt: skip


def test_visits_that_robots_txt_forbids_are_told(folder: Path) -> None:
    (folder / "pages" / "robots.txt").write_text("User-agent: GPTBot\nDisallow: /low\n")
    (folder / "a.log").write_bytes(line("/low.md") * 2 + line("/") + line("/low.md", "ClaudeBot/1"))
    logs = read(folder, "a.log")
    assert {one["name"]: one["forbidden"] for one in logs["agents"]} == {"GPTBot": 2, "ClaudeBot": 0}
    shown = audit("--from-dir", "pages", "--log", "a.log", folder=folder).stdout
    assert "forbidden: visits to pages that robots.txt, as this audit found it, forbids" in shown


def test_packed_logs_several_and_standard_input_are_read(folder: Path) -> None:
    (folder / "a.log").write_bytes(line("/low"))
    (folder / "b.log.gz").write_bytes(gzip.compress(line("/low")) + gzip.compress(line("/other")))
    assert read(folder, "a.log", "b.log.gz")["visits"] == 3
    for packed in (False, True):
        data = line("/low") * 2
        logs = read(folder, "a.log", "-", stdin=gzip.compress(data) if packed else data)
        assert (logs["visits"], logs["files"], logs["faults"]) == (3, ["a.log", "-"], []), packed


def test_a_log_that_cannot_be_read_is_refused_before_the_audit(folder: Path) -> None:
    (folder / "other.log").write_text('{"status": 200}\n')
    (folder / "bad.gz").write_bytes(gzip.compress(line("/low"))[:20])
    for name, message in {
        "missing.log": "no such file",
        "pages": "a directory",
        "other.log": "none of its first lines is one of an access log",
        "bad.gz": "damaged",
    }.items():
        done = audit("--from-dir", "pages", "--log", name, folder=folder)
        assert (done.returncode, done.stdout) == (2, ""), name
        assert message in done.stderr, done.stderr
    done = audit("--from-dir", "pages", "--log", "-", "--log", "-", folder=folder)
    assert (done.returncode, "can be read once" in done.stderr) == (2, True)
    (folder / "a.log").write_bytes(line("/low"))
    done = audit("--from-dir", "pages", "--log", "a.log", "-o", "a.log", folder=folder)
    assert (done.returncode, (folder / "a.log").read_bytes()) == (2, line("/low"))


def test_an_empty_log_is_no_error_and_a_damaged_end_loses_no_audit(folder: Path) -> None:
    (folder / "empty.log").write_bytes(b"")
    packed = gzip.compress(b"".join(line(f"/{n * n}") for n in range(20_000)))
    (folder / "cut.gz").write_bytes(packed[: len(packed) // 2])
    logs = read(folder, "empty.log", "cut.gz")
    assert logs["visits"] > 1_000
    assert [fault["file"] for fault in logs["faults"]] == ["cut.gz"]
    assert "not read to its end" in audit("--from-dir", "pages", "--log", "cut.gz", folder=folder).stdout


@pytest.mark.parametrize("form", ["human", "html", "json", "csv"])
def test_nothing_in_a_log_is_obeyed(folder: Path, form: str) -> None:
    log = line(f"/{HOSTILE}", f"ClaudeBot {HOSTILE}", 404, time=HOSTILE) + line("/=1+1|cmd", status=404)
    log += line(f"/low?{HOSTILE}", "GPTBot =1+1") + line("/low", time="=1+1") + b"\x00\xff\xfe" * 50 + b"\n"
    (folder / "=cmd\x1b.log").write_bytes(log)
    shown = audit("--from-dir", "pages", "--log", "=cmd\x1b.log", "--format", form, folder=folder).stdout
    assert not set("\x1b\u202e\x00") & set(shown)
    if form == "html":
        assert "<script>alert" not in shown
    if form == "csv":
        assert not [cell for row in csv.reader(io.StringIO(shown)) for cell in row if cell.startswith(("=", "+", "@"))]


def test_a_site_is_joined_by_path_whatever_the_host_and_kept_with_the_audit(site: TrapSite, tmp_path: Path) -> None:
    example = sorted((ROOT / "examples" / "site").rglob("*.md"))[0].read_text("utf-8")
    site.pages |= {"/": html("/a"), "/a": html(text=f"<p>{escape(example)}</p>")}
    (tmp_path / "a.log").write_bytes(line("/a") * 2 + line(f"{site.url}/a") + line("http://elsewhere.example/a"))
    done = audit(site.url, "--log", "a.log", "--store", "kept.sqlite", "--format", "json", "--quiet", folder=tmp_path)
    logs = json.loads(done.stdout)["audit"]["logs"]
    assert [(page["url"], page["visits"]) for page in logs["pages"]] == [(f"{site.url}/a", 3)]
    assert logs["elsewhere"] == 1
    with open_store(str(tmp_path / "kept.sqlite")) as store:
        audited = store.find_audit(site.url.removeprefix("http://"))
        assert audited.end["logs"] == logs
        assert "logs" not in audited.to_dict()["end"]
