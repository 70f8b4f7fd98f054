"""The HTML report of an audit of 500 addresses in a real browser: it fits, is low, and leads to the words to change."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.conftest import ROOT

WIDTHS = (400, 1400)
SCHEMES = ("light", "dark")
TABS = ("overview", "pages", "parts", "check", "same", "broken", "access")
PAGES, BROKEN = 300, 200
MAX_HEIGHT = 8_000  # pixels of any part
MAX_BYTES = 8_000_000
_WIDTH = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
_HEIGHT = "document.documentElement.scrollHeight"
# The checker looks at hidden parts as well; of hundreds of pages it would take minutes.
_FEW_VIEWS = "document.querySelectorAll('.views .page').forEach((page, number) => number > 2 && page.remove())"

pytestmark = pytest.mark.full


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass


def write_site(folder: Path) -> None:
    """Write pages of many lengths, a repeated one, one stuffed with keywords, and links that lead nowhere."""
    texts = [path.read_text("utf-8").split("\n\n") for path in sorted((ROOT / "examples" / "site").rglob("*.md"))]
    links = []
    for number in range(PAGES):
        parts = texts[number % len(texts)]
        kept = [part for at, part in enumerate(parts) if at % 7 != number % 5] if number % 11 else parts
        body = "".join(f"<p>{part}</p>" for part in kept) + f"<p>Note {number} was written in {1980 + number}.</p>"
        kind = ("shop", "guides", "news")[number % 3]
        name = f"{kind}/{kind}-{number}"
        (folder / kind).mkdir(exist_ok=True)
        broken = "".join(f'<a href="/gone/{number}-{n}">old</a> ' for n in range(BROKEN // 50)) if number < 50 else ""
        (folder / f"{name}.html").write_text(
            f"<html lang=en><head><title>Page {number}</title></head><body><article><h1>Page {number}</h1>{body}"
            f"</article>{broken}</body></html>"
        )
        links.append(f'<p><a href="/{name}.html">{name}</a></p>')
    stuffed = "<p>cheap shoes best cheap shoes buy cheap shoes online cheap shoes for you.</p>" * 40
    (folder / "stuffed.html").write_text(f"<html><body><h1>Shoes</h1>{stuffed}</body></html>")
    links.append('<a href="/stuffed.html">shoes</a>')
    (folder / "index.html").write_text(f"<html><title>All</title><body>{''.join(links)}</body></html>")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    write_site(folder)
    running = ThreadingHTTPServer(("127.0.0.1", 0), lambda *a: Quiet(*a, directory=str(folder)))
    Thread(target=running.serve_forever, daemon=True).start()
    path = tmp_path_factory.mktemp("report") / "audit.html"
    try:
        # In a process of its own: the loop of the browser runs in this one.
        done = subprocess.run(
            [
                sys.executable, "-m", "steelyard", "audit", f"http://127.0.0.1:{running.server_address[1]}/",
                "--format", "html", "--quiet", "--max-pages", "600", "--no-store", "--edition", "2026",
                "--as-of", "2026-07-01", "-o", str(path),
            ],
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
    finally:
        running.shutdown()
        running.server_close()
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture
def show(browser: Any, report: Path) -> Callable[..., Any]:
    """`with show(width=400) as page`: the report in a window; no message may appear in its console."""

    @contextmanager
    def open_page(*, width: int = 1400, target: str = "", **options: Any) -> Iterator[Any]:
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        page = context.new_page()
        messages: list[str] = []
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.goto(f"file://{report}{target}")
        yield page
        context.close()
        assert messages == []

    return open_page


def check(page: Any) -> None:
    found = import_module("axe_playwright_python.sync_playwright").Axe().run(page).response
    assert found["passes"]
    assert [(v["impact"], v["id"], v["nodes"][0]["html"]) for v in found["violations"]] == []


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_every_part_fits_is_low_and_can_be_read_aloud(show, report: Path, width: int, scheme: str) -> None:
    assert report.stat().st_size < MAX_BYTES
    with show(width=width, color_scheme=scheme) as page:
        page.evaluate(_FEW_VIEWS)
        for tab in TABS:
            page.evaluate(f"location.hash = '{tab}'")
            assert page.locator(f"#{tab}").is_visible(), tab
            assert page.locator("main > .tab:visible").count() == 1, tab
            assert (page.evaluate(_WIDTH), page.evaluate(_HEIGHT) < MAX_HEIGHT) == (0, True), tab
            check(page)
        page.evaluate("location.hash = 'p0'")
        assert page.locator(".page:visible").count() == 1
        assert page.evaluate(_WIDTH) == 0
        check(page)


@pytest.mark.parametrize("script", [True, False])
def test_two_clicks_lead_from_the_first_screen_to_the_words_to_change(show, script: bool) -> None:
    with show(java_script_enabled=script) as page:
        page.locator(".todo summary").first.click()
        page.locator(".todo a:visible").first.click()
        place = page.locator(":target")
        assert place.locator("xpath=self::mark | self::li").count() == 1
        assert place.is_visible()
        assert 0 < place.bounding_box()["y"] < 900
        page.get_by_role("link", name="Back to the overview").locator("visible=true").click()
        assert page.locator(".begin").is_visible()


def test_all_pages_are_sorted_and_filtered_over_all_folds(show) -> None:
    with show(target="#pages") as page:
        rows = page.locator("table.pages tbody tr")
        assert rows.count() > 100
        page.get_by_role("button", name="words").first.click()
        words = [int(text.replace(",", "")) for text in page.locator("table.pages td:nth-child(3)").all_text_contents()]
        assert words == sorted(words)
        page.get_by_label("Filter the pages").fill("news-2")
        assert 0 < page.locator("table.pages tbody tr:visible").count() < rows.count()
