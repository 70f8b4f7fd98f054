"""The report in a real browser: no broken picture, no overflow at the width of a telephone and of a desk."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDTHS = (400, 1400)
MAX_SECONDS = 300.0  # seconds, against hangs

# The report forbids scripts, so a page beside it looks into a frame; only a page of the same server may.
_LOOKING = """<!doctype html><title>looking</title><iframe id="f" src="report.html" width="{width}" height="900"
 style="border:0"></iframe><pre id="found"></pre><script>
document.getElementById("f").addEventListener("load", () => {
  const page = document.getElementById("f").contentDocument;
  const wide = [...page.querySelectorAll("body *")].filter(e => !e.closest(".wide") || e.matches(".wide"))
    .filter(e => e.getBoundingClientRect().right > innerOf(page) + 1).map(e => e.tagName + e.textContent.slice(0, 40));
  const images = [...page.images];
  const size = e => parseFloat(getComputedStyle(e).fontSize);
  const small = [...page.querySelectorAll("p, td, li")].filter(e => size(e) < 11).length;
  document.getElementById("found").textContent = JSON.stringify({
    width: innerOf(page), scroll: page.documentElement.scrollWidth, wide, small, images: images.length,
    broken: images.filter(i => !i.complete || i.naturalWidth === 0).map(i => i.alt),
    nameless: images.filter(i => !i.alt).length, sections: page.querySelectorAll("section").length});
});
const innerOf = page => page.documentElement.clientWidth;
</script>"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture(scope="module")
def browser() -> str:
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"none of {', '.join(BROWSERS)} is installed (Debian: apt-get install chromium)")
    return found


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo-size study, as a newcomer makes it."""
    out = tmp_path_factory.mktemp("study") / "demo"
    subprocess.run(
        [sys.executable, "-m", "steelyard", "reproduce", "--out", str(out), "--quiet"],
        check=True,
        cwd=ROOT,
        timeout=10 * MAX_SECONDS,
    )
    return out


@pytest.fixture(scope="module")
def served(study: Path) -> Iterator[str]:
    for width in WIDTHS:
        (study / f"looking-{width}.html").write_text(_LOOKING.replace("{width}", str(width)), "utf-8")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(study)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.mark.full
@pytest.mark.parametrize("width", WIDTHS)
def test_the_report_shows_every_picture_and_fits(browser: str, served: str, width: int, tmp_path: Path):
    done = subprocess.run(
        [
            browser, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1600,1000", "--dump-dom",
            "--virtual-time-budget=30000", f"--user-data-dir={tmp_path}", f"{served}/looking-{width}.html",
        ],
        capture_output=True, text=True, timeout=MAX_SECONDS, check=False,
    )  # fmt: skip
    shown = re.search(r'<pre id="found">(\{.*?\})</pre>', done.stdout, re.DOTALL)
    assert shown, done.stderr[-2000:]
    found = json.loads(unescape(shown[1]))
    assert found["width"] <= width
    assert found["scroll"] <= width, f"{found['scroll']} pixels wide"
    assert found["wide"] == []
    assert found["broken"] == []
    assert found["nameless"] == 0
    assert found["small"] == 0
    assert found["images"] >= 12
    assert found["sections"] > 12


@pytest.mark.full
def test_every_number_of_the_demo_study_has_its_address(study: Path, run: Callable[..., Any]):
    done = run("verify", str(study))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.full
def test_the_demo_study_is_the_same_bytes_twice(study: Path, tmp_path: Path):
    again = tmp_path / "again"
    subprocess.run(
        [sys.executable, "-m", "steelyard", "reproduce", "--out", str(again), "--quiet", "--jobs", "1"],
        check=True,
        cwd=ROOT,
        timeout=10 * MAX_SECONDS,
    )
    for path in sorted(p for p in again.rglob("*") if p.is_file() and "work" not in p.relative_to(again).parts):
        assert path.read_bytes() == (study / path.relative_to(again)).read_bytes(), path.name
