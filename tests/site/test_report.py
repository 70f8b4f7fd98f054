"""The HTML report of an audit: every page listed leads to its view, long lists are folded, and pages are escaped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest
from lxml import html as lxml_html

from steelyard.inputs.page_ref import PageRef
from steelyard.pages.html.document import render_views
from steelyard.pages.restored import find_evidence, restore_result
from steelyard.pipeline import analyse
from steelyard.scoring import editions
from steelyard.settings import Settings
from steelyard.site import page_views
from steelyard.site.model import EXCLUDED, FAILED
from steelyard.site.page_views import choose_views, read_views
from steelyard.site.report.html import render_html
from steelyard.site.report.lists import render_parts
from steelyard.site.report.page_links import FOLDED, PageLinks, link_outside
from steelyard.site.store import Store, open_store
from steelyard.site.summary import PageLine, Summary, Unscored, summarise
from tests.conftest import ROOT, run_here
from tests.web.stored import HOSTILE_PAGE, SITE, fill_store

SCORING = "edition 2026"


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    path = str(tmp_path_factory.mktemp("store") / "sites.sqlite")
    fill_store(path)
    with open_store(path) as store:
        yield store


def render(store: Store, number: int) -> str:
    summary = summarise(store.read_visits(number))
    return render_html(SITE, summary, SCORING, read_views(store, number, choose_views(summary)))


def test_a_restored_page_has_the_view_of_the_page_as_it_was_scored() -> None:
    for edition in editions.NAMES:
        settings = Settings.resolve(
            edition=edition, as_of=date(2026, 7, 1), detect=True, keep_text=True, sections=False
        )
        for path in sorted((ROOT / "examples" / "site" / "guides").glob("*.md")):
            result = analyse(PageRef(path.name, path=str(path)), settings)
            entry = result.to_dict(with_evidence=False)
            restored = find_evidence(restore_result(entry, settings.to_dict()), result.text or "", settings.to_dict())
            assert render_views([restored], is_open=True) == render_views([result], is_open=True), (edition, path.name)


def test_every_link_to_a_view_leads_to_one_and_its_suggestions_to_their_places(tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    folder = str(ROOT / "examples" / "site" / "guides")
    done = run_here("audit", "--from-dir", folder, "--format", "html", "--quiet", "-o", out, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    tree = lxml_html.fromstring(out.read_text("utf-8"))
    ids = tree.xpath("//@id")
    assert len(ids) == len(set(ids))
    assert {place[1:] for place in tree.xpath("//main//a/@href") if place.startswith("#")} <= set(ids)
    views = tree.xpath("//section[@class='views']/details")
    assert len(views) == len(tree.xpath("//table[@class='pages']//tbody/tr")) == 7
    for part in ("pages", "begin", "todo", "parts"):
        assert tree.xpath(f"//table[@class='{part}']//a[starts-with(@href, '#p')]"), part
    assert tree.xpath("//a[@class='jump']")
    levels = [int(level) for level in re.findall(r"<h([1-6])[ >]", out.read_text("utf-8"))]
    assert all(b - a <= 1 for a, b in pairwise(levels))


def test_a_view_has_the_history_of_its_page(stored: Store) -> None:
    tree = lxml_html.fromstring(render(stored, 3))
    told = tree.xpath("//details[@class='page'][1]//p[@class='history']/text()")
    assert len(told) == 1
    assert "2026-05-01" in told[0]
    assert "2026-06-01" in told[0]
    assert not lxml_html.fromstring(render(stored, 1)).xpath("//p[@class='history']")


def test_the_same_audit_gives_the_same_bytes_and_a_page_is_escaped(stored: Store) -> None:
    report = render(stored, 3)
    assert render(stored, 3) == report
    assert HOSTILE_PAGE not in report
    assert "<script>alert" not in report
    assert len(lxml_html.fromstring(report).xpath("//script")) == 1


def test_an_audit_of_many_pages_has_views_of_those_to_act_on_and_says_so(stored: Store, monkeypatch) -> None:
    monkeypatch.setattr(page_views, "MAX_VIEWS", 3)
    tree = lxml_html.fromstring(render(stored, 3))
    assert len(tree.xpath("//details[@class='page']")) == 3
    assert len(tree.xpath("//table[@class='pages']//a")) == 3
    assert tree.xpath("//section[@class='views']/p[contains(text(), 'have no view')]")
    page = PageLine("u", 90.0, 300, "en", None, None, ("dump",), "", None, False, False)
    others = [PageLine(f"p{n}", 10.0 + n, 300, "en", None, None, (), "", None, False, False) for n in range(9)]
    assert choose_views(Summary(pages=[*others, page])) == ["p0", "p1", "u"]


def test_broken_links_are_grouped_by_the_page_that_has_them_and_folded() -> None:
    broken = [Unscored(FAILED, "status 404", f"https://a.org/gone/{n}", f"https://a.org/{n % 40}") for n in range(500)]
    summary = Summary(others=[*broken, Unscored(EXCLUDED, "forbidden by robots.txt", "https://a.org/x")])
    tree = lxml_html.fromstring(render_html("a.org", summary, SCORING))
    shown = "//h2[@id='unread']/.."
    assert tree.xpath(f"{shown}/h3[1]/text()") == ["500 broken links on 40 pages"]
    assert len(tree.xpath(f"{shown}/ul[1]/li")) == FOLDED
    assert len(tree.xpath(f"{shown}/details[1]/ul/li")) == 40 - FOLDED
    assert tree.xpath(f"{shown}//details[@open]") == []
    assert "forbidden by robots.txt" in tree.xpath(f"string({shown})")


def test_pages_belong_to_the_first_directory_that_they_do_not_share() -> None:
    for urls, parts in (
        (("https://a.org/", "https://a.org/x/1", "https://a.org/x/y/2", "https://a.org/z?q=/w/"), ["/", "/x/"]),
        (("docs/a/1.md", "docs/a/2.md", "docs/b/3.md"), ["/a/", "/b/"]),
        (("one.md",), ["/"]),
    ):
        pages = [PageLine(url, 50.0, 300, "en", None, None, (), "", None, False, False) for url in urls]
        tree = lxml_html.fromstring(render_parts(Summary(pages=pages), PageLinks("a.org")))
        assert tree.xpath("//tbody/tr/td[1]/b/text()") == parts, urls


def test_only_addresses_of_the_web_are_links() -> None:
    assert link_outside("javascript:alert(1)") == link_outside("file:///etc/passwd") == link_outside("page.md") == ""
    assert 'href="https://a.org/?a=1&amp;b=&quot;"' in link_outside('https://a.org/?a=1&b="')
    links = PageLinks("a.org", {"https://a.org/x": "#p0"})
    assert links.render("https://a.org/x") == '<a href="#p0">/x</a>'
    assert links.render("https://b.org/<x>") == "https://b.org/&lt;x&gt;"
    assert links.render("https://www.a.org/y?z=1") == "/y?z=1"
