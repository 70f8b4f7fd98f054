"""The HTML report of `steelyard score` in a real browser: it fits, sorts, filters, opens, prints, is accessible."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

SITE = ROOT / "examples" / "site"
WIDTHS = (400, 800, 1400)
SCHEMES = ("light", "dark")
MANY = 500
MAX_OPENING = 1_000  # milliseconds

_TOO_WIDE = """() => {
  const width = document.documentElement.clientWidth;
  const inside = [...document.querySelectorAll("body *")].filter(e => !e.closest(".skip, small"));
  return {
    page: document.documentElement.scrollWidth - width,
    elements: inside.filter(e => e.getBoundingClientRect().right > width + 1).map(e => e.outerHTML.slice(0, 80)),
    scrolling: inside.filter(e => /auto|scroll/.test(getComputedStyle(e).overflowX))
      .filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.outerHTML.slice(0, 80)),
  };
}"""
_OPEN_ALL = "document.querySelectorAll('details').forEach(page => (page.open = true))"
_OPENED = (
    """() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"""
)

pytestmark = pytest.mark.full


@pytest.fixture
def show(browser: Any) -> Callable[..., Any]:
    """`with show(path, width=400) as page`: the report in a window; no message may appear in its console."""

    @contextmanager
    def open_page(path: Path, *, width: int = 1400, target: str = "", **options: Any) -> Iterator[Any]:
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        page = context.new_page()
        messages: list[str] = []
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.goto(f"file://{path}{target}")
        yield page
        context.close()
        assert messages == []

    return open_page


@pytest.fixture
def make_report(run: Callable[..., Any], tmp_path: Path) -> Callable[..., Path]:
    def make(*targets: str) -> Path:
        path = tmp_path / "report.html"
        done = run("score", *targets, "--format", "html", "--detect", "--quiet", "-o", str(path))
        assert done.returncode in (0, 1), done.stderr
        return path

    return make


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_everything_fits_and_can_be_read_aloud(show, make_report, width: int, scheme: str) -> None:
    axe = import_module("axe_playwright_python.sync_playwright").Axe()
    for targets in ((str(SITE / "shop"), str(SITE / "fr" / "pain-au-levain.md")), (str(SITE / "index.md"),)):
        with show(make_report(*targets), width=width, color_scheme=scheme) as page:
            page.evaluate(_OPEN_ALL)
            assert page.evaluate(_TOO_WIDE) == {"page": 0, "elements": [], "scrolling": []}
            found = axe.run(page).response
            assert found["passes"]
            assert [(v["impact"], v["id"], v["nodes"][0]["html"]) for v in found["violations"]] == []


def test_the_table_sorts_by_its_buttons_and_says_how(show, make_report) -> None:
    with show(make_report(str(SITE / "shop"))) as page:

        def words() -> list[int]:
            return [int(t.replace(",", "")) for t in page.locator("table.pages td:nth-child(3)").all_inner_texts()]

        button = page.get_by_role("button", name="words")
        button.focus()
        page.keyboard.press("Enter")
        assert words() == sorted(words())
        assert page.locator("th[aria-sort]").all_inner_texts() == ["words"]
        page.keyboard.press("Enter")
        assert words() == sorted(words(), reverse=True)
        assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "descending"


def test_the_filter_shows_matching_pages_and_their_number(show, make_report) -> None:
    with show(make_report(str(SITE / "shop"))) as page:
        page.get_by_label("Filter the pages").fill("OLIVE")
        assert page.locator("table.pages tbody tr:visible").count() == 1
        assert page.get_by_role("status").inner_text() == "1 of 7 pages shown"
        page.get_by_label("Filter the pages").fill("")
        assert page.locator("table.pages tbody tr:visible").count() == 7


@pytest.mark.parametrize("script", [True, False])
def test_a_link_opens_its_page_with_and_without_script(show, make_report, script: bool) -> None:
    report = make_report(str(SITE / "shop"))
    with show(report, java_script_enabled=script) as page:
        assert page.locator("details[open]").count() == 0
        page.locator("table.pages a").nth(2).click()
        assert page.locator("details[open] h3").all_inner_texts() == [page.locator("table.pages a").nth(2).inner_text()]
        assert page.locator("#filter").is_visible() is script
    with show(report, target="#p4", java_script_enabled=script) as page:
        assert page.locator("details[open] #p4").is_visible()


def test_the_skip_link_is_the_first_stop_of_the_keyboard(show, make_report) -> None:
    with show(make_report(str(SITE / "shop"))) as page:
        page.keyboard.press("Tab")
        assert page.locator(":focus").inner_text() == "Skip to the pages"
        assert page.locator(":focus").bounding_box()["x"] >= 0
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.locator(":focus").get_attribute("id") == "wanted"


def test_marks_explain_themselves_by_mouse_by_touch_and_by_keyboard(show, make_report) -> None:
    with show(make_report(str(SITE / "science" / "small-telescopes.md")), has_touch=True) as page:
        tip = page.locator(".tip")
        assert not tip.is_visible()
        mark = page.locator(".text mark").first
        for begin in (mark.hover, mark.tap):
            begin()
            assert re.fullmatch(r"[a-z, ]+: .+", tip.inner_text())
            page.keyboard.press("Escape")
            assert not tip.is_visible()
        page.mouse.move(1, 1)
        entry = page.locator(".legend a").first
        kind = entry.get_attribute("data-kind")
        entry.focus()
        for number in range(2):
            page.keyboard.press("Enter")
            assert tip.is_visible()
            chosen = page.evaluate(
                f"[...document.querySelectorAll('.text .{kind}')].findIndex(m => m.matches('.shown'))"
            )
            assert chosen == number % page.locator(f".text .{kind}").count()


@pytest.mark.parametrize("script", [True, False])
def test_everything_is_open_in_print(show, make_report, script: bool) -> None:
    with show(make_report(str(SITE / "shop")), java_script_enabled=script) as page:
        page.emulate_media(media="print")
        heights = [box["height"] for text in page.locator(".text").all() if (box := text.bounding_box())]
        assert len(heights) == 7
        assert min(heights) > 100
        assert not page.locator("#filter").is_visible()


def test_five_hundred_pages_open_within_a_second(show, make_report, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    texts = [path.read_text("utf-8") for path in sorted(SITE.rglob("*.md"))]
    for number in range(MANY):
        (folder / f"page-{number:03}.md").write_text(texts[number % len(texts)])
    report = make_report(str(folder))
    times = []
    for _ in range(3):
        with show(report) as page:
            times.append(page.evaluate(_OPENED))
    assert min(times) < MAX_OPENING, times
