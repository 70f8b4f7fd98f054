"""What `steelyard score` shows on a terminal and in a pipe, and the address that a result carries."""

from __future__ import annotations

import json
import os
import pty
import re
import struct
import subprocess
import sys
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ
from xml.etree import ElementTree as ET

import pytest

from steelyard.pages import score_output
from steelyard.pages.score_output import WRITERS, PageWriter
from steelyard.site import fetching
from tests.conftest import ROOT, SENTENCE, run_here
from tests.site.trap_site import Reply, TrapSite

HTML = f"""<!doctype html><html><head><title>Tides</title><link rel="canonical" href="https://tides.example/gauge"></head>
<body><article><h1>Tides</h1><p>{SENTENCE * 12}</p></article></body></html>"""


def run_on_terminal(columns: int, *arguments: str) -> list[str]:
    """Run the command with a terminal of so many columns as its standard output."""
    ours, theirs = pty.openpty()
    ioctl(theirs, TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "STEELYARD_AS_OF": "2026-07-01", "NO_COLOR": "1"}
    environment.pop("COLUMNS", None)
    process = subprocess.Popen(
        [sys.executable, "-m", "steelyard", *arguments], stdout=theirs, stderr=subprocess.DEVNULL, env=environment
    )
    os.close(theirs)
    output = b""
    try:
        while piece := os.read(ours, 65_536):
            output += piece
    except OSError:  # how Linux says that the other end is closed
        pass
    os.close(ours)
    assert process.wait(60) == 0
    return output.decode().replace("\r\n", "\n").splitlines()


@pytest.mark.parametrize("columns", [40, 120])
def test_the_terminal_decides_how_wide_pages_are_shown(columns: int) -> None:
    folder = ROOT / "examples" / "site" / "shop"
    for target in (folder, folder / "noise-cancelling-headphones.md"):
        lines = run_on_terminal(columns, "score", str(target))
        assert 0.8 * columns < max(map(len, lines)) <= columns


def test_a_pipe_and_a_file_have_whole_paths(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = page.parent / ("long-name-" * 12)
    folder.mkdir()
    for name in ("one.md", "two.md"):
        (folder / name).write_text(page.read_text())
    monkeypatch.chdir(page.parent)
    for target in (folder, folder / "one.md"):
        text = run_here("score", str(target), COLUMNS="40").stdout
        assert str(folder / "one.md") in text
        assert "…" not in text.partition("\n")[0]
        run_here("score", str(target), "-o", "out.txt", COLUMNS="40")
        assert Path("out.txt").read_text("utf-8") == text


def test_a_result_carries_the_canonical_address_of_html_unless_another_is_given(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(HTML)
    for options, address in (
        ((), "https://tides.example/gauge"),
        (("--url", "https://mine.example/"), "https://mine.example/"),
    ):
        done = run_here("score", str(path), "--format", "json", *options)
        assert [page["url"] for page in json.loads(done.stdout)["pages"]] == [address]


def test_an_address_that_cannot_be_fetched_is_one_line_and_exit_2() -> None:
    done = run_here("score", "http://127.0.0.1:9/gauge?day=1")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("steelyard: http://127.0.0.1:9/gauge?day=1: ")


WITHOUT_A_STORE = """
import sys
sys.modules.update(dict.fromkeys(("scrapy", "twisted", "sqlalchemy", "alembic", "httpx")))  # importing these fails
from steelyard.cli.main import main
main()
"""


def test_an_address_needs_no_package_of_an_audit() -> None:
    with TrapSite(traps=False).serving() as site:
        site.pages["/gauge"] = Reply(HTML.encode())
        done = subprocess.run(
            [sys.executable, "-c", WITHOUT_A_STORE, "score", f"{site.url}/gauge", "--format", "json"],
            cwd=ROOT, capture_output=True, text=True, timeout=600, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    (page,) = json.loads(done.stdout)["pages"]
    assert page["source"] == f"{site.url}/gauge"


@pytest.mark.parametrize("missing", fetching.NEEDED)
def test_without_its_extra_an_address_is_answered_with_what_to_do(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "find_spec", lambda name: None if name == missing else object())
    done = run_here("score", "https://tides.example/gauge?day=1")
    assert done.returncode == 2
    assert f"this needs the package {missing!r}; install it with: pip install 'steelyard[html]'" in done.stderr
    assert "curl -L 'https://tides.example/gauge?day=1' -o page.html" in done.stderr


def test_every_writer_is_in_the_table() -> None:
    made = {each for each in vars(score_output).values() if isinstance(each, type) and issubclass(each, PageWriter)}
    assert made - {PageWriter} == set(WRITERS.values())


def test_every_format_is_documented() -> None:
    page = (ROOT / "docs" / "commands.md").read_text("utf-8")
    section = page.partition("\n## score\n")[2].partition("\n## ")[0]
    told = re.sub(r"<!-- begin: .*?<!-- end -->", "", section, flags=re.DOTALL)  # what is not the command's own help
    assert "human" in WRITERS  # the default, which needs no name there
    assert not [name for name in WRITERS if name != "human" and f"`{name}`" not in told]


def test_a_badge_says_score_edition_date_and_hash_and_no_path(page: Path) -> None:
    hostile = page.with_name("secret.md")
    hostile.write_text('---\ntitle: "<script>alert(1)</script> & co"\n---\n\n' + page.read_text())
    scored = json.loads(run_here("score", hostile, "--format", "json").stdout)["pages"][0]
    svg = run_here("score", hostile, "--format", "badge").stdout
    root = ET.fromstring(svg)  # noqa: S314 - our own
    words = "".join(root.itertext())
    shown = (
        f"{scored['score']:.1f}",
        "content score",
        "paper · 2026-07-01",
        scored["hash"],
        "<script>alert(1)</script> & co",
    )
    assert all(part in words for part in shown)
    assert "secret" not in svg
    assert not re.search(r"<script|href|url\((?!#)", svg)
    left = 0.0
    for box in root.iterfind(".//{*}g/{*}rect"):  # side by side, and together as wide as the picture
        assert float(box.get("x", "")) == left
        left += float(box.get("width", ""))
    assert left == float(root.get("width", ""))


def test_a_badge_is_about_one_page_that_can_be_read(page: Path, tmp_path: Path) -> None:
    out = tmp_path / "badge.svg"
    for targets, reason in (([page, page], "a badge is about one page"), (["absent.md"], "no such file")):
        done = run_here("score", *targets, "--format", "badge", "-o", out)
        assert done.returncode == 2
        assert f"no badge: {reason}" in done.stderr or f"no badge: absent.md: {reason}" in done.stderr
        assert not out.exists()
