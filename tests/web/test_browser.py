"""Every flow of the app in a real browser, narrow and wide, light and dark, by keyboard, and without scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.web.addresses import NOT_IN_NAVIGATION, PAGES, fill_address
from tests.web.conftest import PAGE, TOKEN
from tests.web.running import start_server
from tests.web.stored import SITE, fill_store

WIDTHS = (400, 1400)
SCHEMES = ("light", "dark")
HOSTILE = "<script>window.hurt=1</script><img src=x onerror=window.hurt=1>\"' onfocus=window.hurt=1 {{7*7}} \u202e"
BETTER = PAGE + "\n\n“It grew by 30% in 2025,” said Tom Hale of the Wick Museum, according to the Tide Survey.\n"
_TOO_WIDE = """() => {
  const width = document.documentElement.clientWidth;
  const outside = ".skip, small, .hidden, .stacked thead";
  const inside = [...document.querySelectorAll("body *")].filter(e => !e.closest(outside));
  return {
    page: document.documentElement.scrollWidth - width,
    elements: inside.filter(e => e.getBoundingClientRect().right > width + 1).map(e => e.outerHTML.slice(0, 80)),
  };
}"""

pytestmark = pytest.mark.full


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path = str(tmp_path_factory.mktemp("store") / "sites.sqlite")
    fill_store(path)
    with start_server("--store", path, "--rate", "0", "--allow-private") as (_, url):
        yield url


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """A small site on loopback."""
    folder = str(ROOT / "examples" / "html")
    running = ThreadingHTTPServer(("127.0.0.1", 0), lambda *a: Quiet(*a, directory=folder))
    Thread(target=running.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{running.server_address[1]}"
    running.shutdown()
    running.server_close()


@pytest.fixture
def show(browser: Any) -> Callable[..., Any]:
    """`with show(url) as page`: a window; console messages, failed requests and requests to others are errors."""

    @contextmanager
    def open_page(url: str, *, width: int = 1400, quiet: tuple[str, ...] = (), **options: Any) -> Iterator[Any]:
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        page = context.new_page()
        page.set_default_timeout(30_000)
        problems: list[str] = []
        page.on("console", lambda message: problems.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        page.on("dialog", lambda dialog: problems.append(f"dialog: {dialog.message}"))

        def note_request(request: Any) -> None:
            if not request.url.startswith((url, "data:")):
                problems.append(f"request: {request.url}")

        def note_failure(request: Any) -> None:
            if request.failure != "net::ERR_ABORTED":  # by the script, which needs no old answer
                problems.append(f"failed: {request.url}")

        page.on("request", note_request)
        page.on("requestfailed", note_failure)
        page.goto(url)
        yield page
        if options.get("java_script_enabled", True):
            assert page.evaluate("window.hurt === undefined")
        context.close()
        assert [problem for problem in problems if not any(word in problem for word in quiet)] == []

    return open_page


def check(page: Any) -> None:
    """Check that nothing is too wide, and that axe finds nothing, with everything folded out."""
    page.evaluate("document.querySelectorAll('details').forEach(e => (e.open = true))")
    assert page.evaluate(_TOO_WIDE) == {"page": 0, "elements": []}
    found = import_module("axe_playwright_python.sync_playwright").Axe().run(page).response
    assert found["passes"]
    assert [(v["impact"], v["id"], v["nodes"][0]["html"]) for v in found["violations"]] == []


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_fits_and_can_be_read_aloud(show, server: str, width: int, scheme: str) -> None:
    paths = [fill_address(path, SITE, 3) for path in PAGES if path not in NOT_IN_NAVIGATION]
    with show(server, width=width, color_scheme=scheme) as page:
        for path in paths:
            page.goto(server + path)
            check(page)
        page.goto(server)
        page.fill("#text", PAGE)
        page.wait_for_selector(".score")
        check(page)
        page.goto(f"{server}/compare")
        page.fill("#old", PAGE)
        page.fill("#new", BETTER)
        page.wait_for_selector(".score")
        check(page)


def test_the_score_follows_what_is_typed_and_old_answers_are_dropped(show, server: str) -> None:
    with show(server) as page:
        page.fill("#text", PAGE)
        page.wait_for_selector(".score")
        page.locator("details[data-key='citation_f1'] summary").click()
        assert "C" in page.locator("details[data-key='citation_f1'] dt").all_inner_texts()

        # The next answer is held back until a newer text has been answered; it must not be shown then.
        held: list[Any] = []

        def hold(route: Any) -> None:
            if held:
                route.continue_()
            else:
                held.append(route)

        page.route("**/?part=result", hold)
        page.fill("#text", "Old words that nobody waits for any more. " * 20)
        page.wait_for_timeout(800)
        assert len(held) == 1
        page.fill("#text", BETTER)
        page.wait_for_selector(".text mark:has-text('Wick Museum')")
        after = page.inner_text(".score b")
        with suppress(Exception):  # the page has given up on it
            held[0].continue_()
        page.unroute("**/?part=result")
        page.wait_for_timeout(500)
        assert page.inner_text(".score b") == after
        assert page.inner_text("#status") == f"Score {after} of 100"
        assert page.locator("details[data-key='citation_f1']").get_attribute("open") is not None  # it stays open
        assert page.locator(".text mark", has_text="Wick Museum").count() == 1


@pytest.mark.parametrize("script", [True, False])
def test_paste_upload_fetch_edit_export_and_compare(show, server: str, site: str, tmp_path: Path, script: bool) -> None:
    with show(server, java_script_enabled=script, accept_downloads=True) as page:
        page.fill("#text", PAGE)
        page.get_by_role("button", name="Score", exact=True).click()
        page.wait_for_selector(".score")
        with page.expect_download() as download:
            page.get_by_role("button", name="Export as one HTML file").click()
        report = tmp_path / "report.html"
        download.value.save_as(report)
        assert "default-src 'none'" in report.read_text("utf-8")
        file = tmp_path / "tides.md"
        file.write_text(BETTER)
        page.set_input_files("#file", str(file))
        page.get_by_role("button", name="Upload and score").click()
        page.wait_for_selector(".score")
        assert page.input_value("#text").strip() == BETTER.strip()
        page.fill("#url", f"{site}/hard-water-at-home.html")
        page.get_by_role("button", name="Fetch and score").click()
        page.wait_for_selector(".score")
        assert "<html" not in page.input_value("#text")
        page.get_by_role("button", name="Edit its HTML instead").click()
        page.get_by_role("button", name="Edit the extracted text").click()
        page.wait_for_selector(".score")
        assert "<html" not in page.input_value("#text")
        page.goto(f"{server}/compare")
        page.fill("#old", PAGE)
        page.fill("#new", BETTER)
        page.get_by_role("button", name="Compare").click()
        page.wait_for_selector(".score")
        assert page.locator(".text").count() == 2
        assert "Tom Hale" in page.inner_text("#result")


def test_sites_history_and_leaderboard_are_reached_by_links(show, server: str) -> None:
    with show(server) as page:
        page.get_by_role("link", name="Sites").click()
        page.get_by_role("link", name=SITE).click()
        assert page.locator("svg circle").count() == 3
        page.get_by_role("link", name="What changed since the one before").click()
        page.go_back()
        page.select_option("#old", "1")
        page.get_by_role("button", name="Compare").click()
        assert "From audit 1" in page.inner_text("main")
        page.get_by_role("link", name="Leaderboard").click()
        page.get_by_role("link", name=SITE).click()
        page.get_by_role("link", name="All pages of the last audit").click()
        page.get_by_role("link", name="Broken links").click()
        page.locator("details.fold summary").locator("visible=true").first.click()
        assert "timed out" in page.inner_text("main")
        page.get_by_role("link", name="Overview").click()
        page.locator(".begin a").first.click()
        assert page.locator(".suggestions li").count() > 0
        assert page.locator(".history").is_visible()


@pytest.mark.parametrize("script", [True, False])
def test_an_audit_is_started_followed_and_shown(show, server: str, site: str, script: bool) -> None:
    with show(server, java_script_enabled=script) as page:
        page.goto(f"{server}/audits")
        page.fill("#url", f"{site}/")
        page.fill("#max_pages", "20" if script else "10")
        page.get_by_role("button", name="Start").click()
        page.wait_for_selector("a:has-text('Show the result')", timeout=120_000)
        page.get_by_role("link", name="Show the result").first.click()
        assert page.locator("table.pages tbody tr").count() > 3
        page.locator(".begin a").first.click()
        page.wait_for_selector(".text")  # an audit from here keeps the texts


def test_a_suggestion_selects_its_words_and_what_is_written_there_is_compared(show, server: str) -> None:
    claim = "Many experts agree on this, and it has been known for a very long time."
    text = f"# 🌊 Tides\n\nIn 2024 the gauge of the town rose by 12% in a year. {claim} The sea is deep there.\n"
    with show(server) as page:
        page.fill("#text", text)
        page.wait_for_selector(".backdrop .m3")
        marked = page.locator(".backdrop .m3").all_inner_texts()
        assert "12" in " ".join(marked)
        item = page.locator("li[data-start]").filter(has_text="Many experts agree")
        item.locator("a.jump").click()
        field = "const t = document.getElementById('text'); "
        chosen = page.evaluate(f"() => {{ {field} return t.value.slice(t.selectionStart, t.selectionEnd) }}")
        assert chosen.startswith("Many experts agree")
        assert "without a source" in page.inner_text("#task")  # beside the words
        page.keyboard.insert_text("The Tide Survey of 2025 counted 4,100 ships here")
        page.wait_for_selector("#trial:not([hidden])")
        page.wait_for_function("document.querySelector('#trial p').textContent.includes('With your words')")
        page.get_by_role("button", name="Back to the text as it was").click()
        page.wait_for_selector("#trial", state="hidden")
        assert claim in page.input_value("#text")


@pytest.mark.parametrize("script", [True, False])
def test_a_page_in_another_language_gets_a_button(show, server: str, script: bool) -> None:
    german = "Die Küste ist lang und der Hafen ist alt, und viele Schiffe kommen jedes Jahr in die Stadt. " * 8
    context = {"java_script_enabled": script, "quiet": ("422",)}
    with show(server, **context) as page:
        page.fill("#text", german)
        page.get_by_role("button", name="Score", exact=True).click()
        page.get_by_role("button", name="Score in edition 2026").click()
        page.wait_for_selector(".score")
        assert page.input_value("#edition") == "2026"


def test_everything_is_reached_by_keyboard(show, server: str) -> None:
    with show(server) as page:
        page.keyboard.press("Tab")
        assert page.locator(":focus").inner_text() == "Skip to the content"
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.locator(":focus").get_attribute("id") == "text"
        page.keyboard.insert_text(PAGE)
        page.wait_for_selector(".score")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")  # the settings
        page.keyboard.press("Tab")
        assert page.locator(":focus").get_attribute("id") == "title"
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid"
        page.locator("details.component summary").first.focus()
        page.keyboard.press("Enter")
        assert page.locator("details.component dl").first.is_visible()


def test_hostile_text_in_every_field_runs_no_script(show, server: str, tmp_path: Path) -> None:
    with show(server) as page:
        page.locator("details.settings summary").click()
        page.fill("#title", HOSTILE)
        page.fill("#text", f"# {HOSTILE}\n\n{PAGE}\n\n{HOSTILE}")
        page.wait_for_selector(".score")
        page.get_by_role("button", name="Score", exact=True).click()
        page.wait_for_selector(".score")
        assert HOSTILE.partition("\u202e")[0] in page.input_value("#text")
        file = tmp_path / "<img src=x onerror=window.hurt=1>.md"
        file.write_text(f"{HOSTILE}\n\n{PAGE}")
        page.set_input_files("#file", str(file))
        page.get_by_role("button", name="Upload and score").click()
        page.wait_for_selector(".score")
        page.goto(f"{server}/compare")
        page.fill("#old", f"{HOSTILE}\n\n{PAGE}")
        page.fill("#new", f"{PAGE}\n\n{HOSTILE}")
        page.wait_for_selector(".score")
        page.goto(f"{server}/sites/{SITE}/audits/3")
        assert "<script>alert(1)</script>" in page.locator("main").text_content()


def test_a_server_with_a_token_asks_for_it(show) -> None:
    with start_server("--rate", "0", STEELYARD_TOKEN=TOKEN) as (_, url), show(url) as page:
        assert page.url == f"{url}/login"
        check(page)
        page.fill("#token", TOKEN)
        page.get_by_role("button", name="Log in").click()
        page.fill("#text", PAGE)
        page.wait_for_selector(".score")
        page.get_by_role("button", name="Log out").click()
        assert page.url == f"{url}/login"
