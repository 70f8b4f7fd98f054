"""The documents as a static site: every link leads somewhere, nothing comes from elsewhere, and the search works."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from steelyard.advice.rules import RULES
from tests.conftest import ROOT
from tools import docs_site

LOOKED_AT = ("index.html", "contents.html", "editions.html", "commands.html", "rules/index.html", "study/report.html")


class Links(HTMLParser):
    """The links, the loaded files and the anchors of a page."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: list[str] = []
        self.styled: list[str] = []
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif tag == "link" or "src" in values:
            self.loaded.append(values.get("src") or values["href"])
        if "id" in values:
            self.anchors.append(values["id"])
        if "style" in values:
            self.styled.append(tag)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    docs_site.build(folder)
    return folder


def test_every_link_leads_to_a_file_and_an_anchor_and_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = {path: Links(path) for path in site.rglob("*.html")}
    assert len(pages) > 90
    wrong: list[tuple[str, str]] = []
    for path, page in pages.items():
        name = path.relative_to(site).as_posix()
        assert len(page.anchors) == len(set(page.anchors)), name
        wrong += [(name, f"{tag} with a style") for tag in page.styled]
        for target in page.loaded:
            if target != "data:," and not (path.parent / target).is_file():
                wrong.append((name, target))
        for target in page.links:
            address, _, anchor = target.partition("#")
            if "://" in target:
                continue
            linked = (path.parent / address).resolve() if address else path
            if not linked.is_file() or (anchor and linked in pages and anchor not in pages[linked].anchors):
                wrong.append((name, target))
    assert wrong == []


def test_every_document_and_every_rule_has_a_page_that_the_contents_lead_to(site: Path) -> None:
    for source in docs_site.list_documents():
        assert (site / docs_site.find_address(source)).is_file(), source
    rules = Links(site / "rules" / "index.html").links
    assert {f"{name}.html" for name in RULES} <= set(rules)
    listed = set(Links(site / "index.html").links)
    for path in (ROOT / "docs").glob("*.md"):
        assert docs_site.find_address(f"docs/{path.name}") in listed, path.name


def test_comments_are_gone_and_code_is_as_it_was(site: Path) -> None:
    for path in site.rglob("*.html"):
        assert "<!--" not in path.read_text("utf-8"), path.name
    assert "&lt;!-- steelyard: off freshness --&gt;" in (site / "rules" / "freshness.html").read_text("utf-8")


def test_the_index_and_llms_txt_name_sections_that_exist(site: Path) -> None:
    script = (site / "search-index.js").read_text("utf-8")
    rows = json.loads(script.removeprefix("window.searchIndex = ").rstrip(";\n"))
    pages = {address.partition("#")[0] for address, *_ in rows}
    anchors = {page: set(Links(site / page).anchors) for page in pages}
    assert [
        address for address, *_ in rows if address.partition("#")[2] not in anchors[address.partition("#")[0]]
    ] == []
    listed = re.findall(r"\]\((\S+?)\)", (site / "llms.txt").read_text("utf-8"))
    assert len(listed) > len(RULES)
    assert [address for address in listed if not (site / address).is_file()] == []


def test_only_a_site_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("keep me")
    with pytest.raises(SystemExit, match="not empty"):
        docs_site.build(tmp_path)
    assert (tmp_path / "letter.txt").read_text() == "keep me"


@pytest.mark.full
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1400])
def test_it_fits_can_be_read_aloud_and_is_searched_without_a_server(
    browser: Any, site: Path, width: int, scheme: str
) -> None:
    axe = import_module("axe_playwright_python.sync_playwright").Axe()
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True)
    page = context.new_page()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    for name in LOOKED_AT:
        page.goto((site / name).as_uri())
        check(page, axe, name)
    page.fill("#query", "quotable_density")
    page.wait_for_selector("#results a")
    check(page, axe, "results")
    page.keyboard.press("Enter")
    page.wait_for_url("**/rules/quotable_density.html#*")
    assert page.inner_text("h1") == "quotable_density"
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []
    context.close()


def check(page: Any, axe: Any, name: str) -> None:
    """Check that a page scrolls down alone, and that axe finds nothing."""
    root = "document.documentElement"
    assert page.evaluate(f"{root}.scrollWidth - {root}.clientWidth") == 0, name
    found = axe.run(page).response
    assert found["passes"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == [], name
