"""A crawl that is killed goes on where it was, and one that is interrupted stops at once."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from steelyard.site.crawl.visits import crawl
from steelyard.site.model import SCORED, Fetched, Link, Visit
from tests.conftest import ROOT
from tests.site.crawl.crawling import FileFrontier, describe, list_options, tell
from tests.site.trap_site import TrapSite, html

PAGES = 44
PROGRAM = "tests.site.crawl.crawler"
WAITING = ("/slow", "/drip-body", "/drip-headers", "/continue", "/busy", "/flaky", "/huge")


def start(
    site: TrapSite, path: Path, concurrency: int = 4, program: tuple[str, str] = ("-m", PROGRAM)
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *program, f"{site.url}/", path, str(concurrency), str(PAGES)], cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def crawl_to_the_end(site: TrapSite, path: Path, concurrency: int = 4) -> str:
    child = start(site, path, concurrency)
    output, errors = child.communicate(timeout=120)
    assert (child.returncode, errors) == (0, "")
    return output.strip().rpartition("\n")[2]


def wait_for_pages(child: subprocess.Popen[str], pages: int) -> None:
    assert child.stdout is not None
    for line in child.stdout:
        if not line.startswith("end") and int(line.split()[0]) >= pages:
            return


@pytest.fixture
def site() -> object:
    with TrapSite().serving() as site:
        site.pages |= {path: html() for path in WAITING}
        yield site


def test_sigterm_ends_tasks_in_order_as_ctrl_c_does() -> None:
    seen = set()

    async def handle(fetched: Fetched) -> Visit:
        seen.add(signal.getsignal(signal.SIGTERM))
        return await describe(fetched)

    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with TrapSite(generated=2, traps=False).serving() as site:
            crawl(FileFrontier([Link(f"{site.url}/")]), list_options(), handle)
        assert seen.isdisjoint({signal.default_int_handler, signal.SIG_DFL})
        assert signal.getsignal(signal.SIGTERM) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_killed_crawl_finds_the_pages_of_one_that_was_not(site: TrapSite, tmp_path: Path) -> None:
    undisturbed = crawl_to_the_end(site, tmp_path / "undisturbed")
    assert "pages" in undisturbed
    assert "digits" in undisturbed
    expected = tell(FileFrontier(path=str(tmp_path / "undisturbed")).finished())
    asked = len(site.log)
    luck = random.Random(18)
    for _ in range(3):
        child = start(site, tmp_path / "killed", concurrency=luck.choice((2, 8)))
        wait_for_pages(child, 5)
        time.sleep(luck.random() * 0.4)
        child.kill()
        child.communicate()
    assert crawl_to_the_end(site, tmp_path / "killed") == undisturbed
    assert tell(FileFrontier(path=str(tmp_path / "killed")).finished()) == expected
    # Only what was under way is asked for again, with rules, sitemaps and redirects: nothing that was finished.
    assert len(site.log) - asked < asked + 3 * 60


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_crawl_at_once_and_loses_nothing(site: TrapSite, tmp_path: Path, number: int) -> None:
    site.robots = "User-agent: *\nCrawl-delay: 0.05\n"
    # The command line lets SIGTERM raise KeyboardInterrupt.
    prepare = "import signal; signal.signal(signal.SIGTERM, signal.default_int_handler)"
    code = f"{prepare}; from {PROGRAM} import main; main()"
    child = start(site, tmp_path / "frontier", program=("-c", code))
    wait_for_pages(child, 8)
    child.send_signal(number)
    output, errors = child.communicate(timeout=300)
    assert (child.returncode, output.strip().rpartition("\n")[2], errors) == (130, "interrupted", "")
    visits = list(FileFrontier(path=str(tmp_path / "frontier")).finished())
    assert 8 <= len(visits) < PAGES
    assert SCORED in {visit.state for visit in visits}
