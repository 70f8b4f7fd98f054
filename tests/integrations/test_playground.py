"""The playground: its folder, and that a real browser without a network gives the numbers of the commands."""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from integrations.playground import score_page
from steelyard.scoring import editions
from tests.conftest import ROOT, run_here
from tools import playground as building
from tools.playground_check import AS_OF, Playground, round_parts, serve_folder

DEMO = sorted((ROOT / "examples" / "site").rglob("*.md"))
HOSTILE = "<img src=x onerror=window.hurt=1> \u202e\n\n<script>window.hurt=1</script>\n\n"


def test_the_archive_has_the_package_and_not_what_scores_no_page(tmp_path: Path) -> None:
    for name in ("once.zip", "again.zip"):
        building.write_packages(tmp_path / name)
    assert (tmp_path / "once.zip").read_bytes() == (tmp_path / "again.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "once.zip") as archive:
        names = set(archive.namelist())
    assert {"score_page.py", "steelyard/pipeline.py", "steelyard/languages/es/known.txt", "jinja2/__init__.py"} <= names
    assert not [name for name in names if name.endswith((".so", ".pyc")) or "/lab/" in name or "/edits/" in name]


def test_the_page_may_reach_its_own_folder_alone(tmp_path: Path) -> None:
    building.write_page(tmp_path)
    page = (tmp_path / "index.html").read_text("utf-8")
    policy = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)[0]
    assert "default-src 'none'" in policy
    assert "connect-src 'self'" in policy
    assert "unsafe-inline" not in policy
    assert "'unsafe-eval'" not in policy
    assert not re.findall(r"""(?:src|href)=["'](?:https?:)?//""", page)
    for name in editions.NAMES:
        assert re.search(rf"<option[^>]*>{name}</option>", page)


def test_another_runtime_than_the_locked_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "CACHE", tmp_path)
    archive = tmp_path / "pyodide" / f"pyodide-{building.read_lock()['version']}.tgz"
    archive.parent.mkdir()
    archive.write_bytes(b"something else")
    with pytest.raises(SystemExit, match="not the one in the lock"):
        building.read_runtime()
    assert not archive.exists()


def test_only_a_playground_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("keep me")
    with pytest.raises(SystemExit, match="not empty"):
        building.build(tmp_path)
    assert (tmp_path / "letter.txt").read_text() == "keep me"


def test_what_the_worker_calls_gives_the_document_of_the_command_and_says_what_is_wrong() -> None:
    file = DEMO[0]
    form = {"text": file.read_text("utf-8"), "source": file.name, "title": "", "language": "auto", "as_of": AS_OF}
    for edition in editions.NAMES:
        fields = json.dumps({**form, "edition": edition})
        assert score_page.answer("json", fields) == score_here(file, edition)
        assert 'class="score"' in score_page.answer("page", fields)
        assert "default-src 'none'" in score_page.answer("html", fields)
    for changed, message in (
        ({"text": "<!doctype html><html><body><p>Tides</p></body></html>"}, "This is HTML"),
        ({"language": "de", "edition": "paper"}, "the text looks like .*edition 2026 has it"),
        ({"as_of": "soon"}, "soon"),
    ):
        answer = score_page.answer("page", json.dumps({**form, **changed}))
        assert re.search(rf'role="alert">[^<]*{message}', answer), message
    while score_page.prepare():
        pass


def score_here(file: Path, edition: str) -> str:
    done = run_here(
        "score", file.name, "--format", "json", "--edition", edition, cwd=file.parent, STEELYARD_AS_OF=AS_OF
    )
    return done.stdout


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if shutil.which("npm") is None:
        pytest.skip("npm, which has Python for the browser, is not installed")
    folder = tmp_path_factory.mktemp("built") / "playground"
    building.build(folder)
    with serve_folder(folder) as url:
        yield url


@pytest.fixture
def opened(browser: Any, address: str) -> Iterator[Any]:
    """The page, loaded; from then on without a network."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    page = context.new_page()
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: problems.append(request.url) if address not in request.url else None)
    page.goto(address)
    page.wait_for_selector("#status:text-is('Ready.')", timeout=300_000)
    context.set_offline(True)
    yield page
    assert page.evaluate("window.hurt === undefined")
    context.close()
    assert [each for each in problems if each != "data:,"] == []


@pytest.mark.full
def test_every_demo_page_has_the_json_of_the_command_line_without_a_network(opened: Any) -> None:
    playground = Playground(opened)
    assert len(DEMO) > 50
    different = []
    for file in DEMO:
        for edition in editions.NAMES:
            playground.open(file, edition)
            if round_parts(playground.download()) != round_parts(score_here(file, edition)):
                different.append((file.name, edition))
    assert different == []


@pytest.mark.full
def test_it_is_used_like_the_app_and_hostile_text_runs_no_script(opened: Any, tmp_path: Path) -> None:
    playground = Playground(opened)
    opened.click("#try")
    assert opened.input_value("#text") == building.EXAMPLE.read_text("utf-8")
    opened.wait_for_selector(".score")
    assert opened.locator("#result mark").count() > 5
    opened.locator("details[data-key='citation_f1'] summary").click()
    opened.fill(
        "#text", opened.input_value("#text") + "\n\n“It grew by 30% in 2025,” said Tom Hale of the Wick Museum.\n"
    )
    opened.wait_for_selector(".text mark:has-text('Wick Museum')")
    assert opened.locator("details[data-key='citation_f1']").get_attribute("open") is not None
    assert "default-src 'none'" in playground.download("html")
    hostile = tmp_path / "<img src=x onerror=window.hurt=1>.md"
    hostile.write_text(HOSTILE + DEMO[0].read_text("utf-8"))
    playground.open(hostile, editions.DEFAULT)
    page = tmp_path / "page.md"
    page.write_text("<!doctype html><html><body><p>Tides</p></body></html>")
    playground.open(page, editions.DEFAULT)
    assert "This is HTML" in opened.inner_text("#result")


@pytest.mark.full
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1400])
def test_it_fits_and_can_be_read_aloud(browser: Any, address: str, width: int, scheme: str) -> None:
    axe = import_module("axe_playwright_python.sync_playwright").Axe()
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto(address)
    for seen in ("progress", ".score"):
        page.wait_for_selector(seen, timeout=300_000)
        page.evaluate("document.querySelectorAll('details').forEach(e => (e.open = true))")
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
        found = axe.run(page).response
        assert found["passes"]
        assert [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == []
        page.click("#try")
    context.close()


@pytest.mark.full
def test_the_worker_can_reach_nothing_but_the_folder(browser: Any, address: str) -> None:
    with serve_folder(ROOT / "examples") as elsewhere:
        page = browser.new_page()
        page.goto(address)
        page.wait_for_selector("#status:text-is('Ready.')", timeout=300_000)
        ask = "url => fetch(url, { mode: 'no-cors' }).then(() => 'reached', () => 'refused')"
        assert page.workers[0].evaluate(ask, f"{address}worker.js") == "reached"
        assert page.workers[0].evaluate(ask, f"{elsewhere}leaderboard.csv") == "refused"
        page.close()
