"""The HTML report of an audit: every page listed leads to its view, long lists are folded, and pages are escaped."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from lxml import html as lxml_html

from steelyard.inputs.page_ref import PageRef
from steelyard.pages.html.document import render_views
from steelyard.pages.restored import find_evidence, restore_result
from steelyard.pipeline import PageResult, analyse
from steelyard.scoring import editions
from steelyard.settings import Settings
from steelyard.site import page_views
from steelyard.site.access.page_access import PageAccess
from steelyard.site.access.site_access import SiteAccess
from steelyard.site.access.summary import summarise_access
from steelyard.site.lines import LINKS, PageLine, Unscored
from steelyard.site.model import EXCLUDED, FAILED
from steelyard.site.page_views import PageView, choose_views, read_views
from steelyard.site.report.html import render_html
from steelyard.site.report.lists import render_parts
from steelyard.site.report.page_links import FOLDED, PageLinks, link_outside
from steelyard.site.report.terminal import describe_counts, render_terminal
from steelyard.site.store import Store, open_store
from steelyard.site.summary import Summary, summarise
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
    for part in ("pages", "begin", "todo"):
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
    shown = "//h2[@id='broken']/.."
    assert tree.xpath(f"{shown}/h3[1]/text()") == ["500 broken links on 40 pages"]
    assert len(tree.xpath(f"{shown}/ul[1]/li")) == FOLDED
    assert len(tree.xpath(f"{shown}/details[1]/ul/li")) == 40 - FOLDED
    assert tree.xpath(f"{shown}//details[@open]") == []
    assert "forbidden by robots.txt" in tree.xpath("string(//h2[@id='unread']/..)")
    first = tree.xpath("string(//section[@id='overview'])")
    assert "500 broken links on 40 pages" in first
    assert "failed" not in first
    counted = replace(summary, states=Counter(other.state for other in summary.others))
    assert "500 broken links, 1 not asked for" in describe_counts(counted)


def make_line(url: str, score: float, **others: Any) -> PageLine:
    return PageLine(url, score, 300, "en", None, None, (), "", None, False, False, **others)


def test_badly_read_pages_and_listings_are_apart_and_never_the_worst() -> None:
    doubt = "doubtful reading: most of what was read is links (99% …), so …"
    pages = [
        make_line("https://a.org/", 10.0, doubt=doubt, action="do it"),
        replace(make_line("https://a.org/all", 11.0, kind="listing"), guard="word-salad"),
        make_line("https://a.org/odd", 20.0, doubt="doubtful reading: a part is missing (10% …)", action="do it"),
        make_line("https://a.org/a", 60.0, action="write more", held="70.0, held at 60 by its length"),
    ]
    summary = Summary(pages=pages)
    assert [page.url for page in summary.compared] == ["https://a.org/a"]
    assert [page.apart.partition(",")[0] for page in summary.apart] == ["listing", "listing", "doubtful reading"]
    tree = lxml_html.fromstring(render_html("a.org", summary, SCORING))
    assert tree.xpath("//table[@class='pages']//td[1]/text()") == ["/a", "/", "/all", "/odd"]
    assert tree.xpath("//table[@class='begin']//td[1]/text()") == ["/a"]
    assert "listing, not compared" in tree.xpath("string(//table[@class='pages'])")
    assert "held at 60 by its length" in tree.xpath("string(//table[@class='pages'])")
    lines = [text for text, _ in render_terminal("a.org", summary, SCORING)]
    worst = lines.index("worst pages first")
    assert "https://a.org/a" in lines[worst + 2]
    assert lines[worst + 3] == ""
    assert sum("doubtful reading: " in line for line in lines) == 2
    assert not tree.xpath("//h2[@id='parts']")


def test_a_home_page_of_links_is_a_listing(tmp_path: Path) -> None:
    for path in (ROOT / "examples" / "html").glob("*.html"):
        (tmp_path / path.name).write_text(path.read_text("utf-8"))
    links = "".join(f'<li><a href="/{n}">The story of harbour number {n}</a></li>' for n in range(40))
    head = "<html lang=en><head><title>Home</title></head>"
    (tmp_path / "index.html").write_text(f"{head}<body><h1>Home</h1><ul>{links}</ul></body></html>")
    shown = run_here("audit", "--from-dir", str(tmp_path), cwd=tmp_path).stdout
    worst = shown[shown.index("worst pages first") :].partition("\n\n")[0]
    assert "index.html" not in worst
    assert "1 page listed apart" in shown
    assert LINKS in shown


def test_the_first_screen_says_what_stands_in_the_way_of_readers() -> None:
    urls = [f"https://a.org/{n}" for n in range(20)]
    access = [(url, PageAccess((), {"canonical": f"points to another site: https://b.org/{url[-1]}"})) for url in urls]
    access.append(("https://a.org/x", PageAccess((), {"json_ld": "block 1: Expecting value"})))
    pages = [replace(make_line("https://a.org/x", 50.0), is_thin=True)]
    summary = Summary(pages=pages, access=summarise_access(access, SiteAccess()))
    report = render_html("a.org", summary, SCORING, {"https://a.org/x": PageView(analyse_example())})
    tree = lxml_html.fromstring(report)
    first = tree.xpath("string(//section[@id='overview'])")
    assert "20 pages: canonical address: points to another site" in first
    assert "1 page: structured data (JSON-LD) that does not parse" in first
    assert "1 page with so little text that it limits the score" in first
    assert "points to another site: 20" in tree.xpath("string(//table[@class='checks'])")
    assert tree.xpath("//div[@class='access']//table[@class='facts']//a[@href='#p0']/text()") == ["/x"]


def analyse_example() -> PageResult:
    path = ROOT / "examples" / "html" / "hard-water-at-home.html"
    return analyse(PageRef(path.name, path=str(path)), Settings.resolve(as_of=date(2026, 7, 1), detect=True))


def test_pages_belong_to_the_first_directory_that_they_do_not_share() -> None:
    for urls, parts in (
        (("https://a.org/", "https://a.org/x/1", "https://a.org/x/y/2", "https://a.org/z?q=/w/"), ["/", "/x/"]),
        (("docs/a/1.md", "docs/a/2.md", "docs/b/3.md"), ["/a/", "/b/"]),
    ):
        pages = [PageLine(url, 50.0, 300, "en", None, None, (), "", None, False, False) for url in urls]
        tree = lxml_html.fromstring(render_parts(Summary(pages=pages), PageLinks("a.org")))
        assert tree.xpath("//tbody/tr/td[1]/b/text()") == parts, urls
    assert render_parts(Summary(pages=pages[:1]), PageLinks("a.org")) == ""


def test_only_addresses_of_the_web_are_links() -> None:
    assert link_outside("javascript:alert(1)") == link_outside("file:///etc/passwd") == link_outside("page.md") == ""
    assert 'href="https://a.org/?a=1&amp;b=&quot;"' in link_outside('https://a.org/?a=1&b="')
    links = PageLinks("a.org", {"https://a.org/x": "#p0"})
    assert links.render("https://a.org/x") == '<a href="#p0">/x</a>'
    assert links.render("https://b.org/<x>") == "https://b.org/&lt;x&gt;"
    assert links.render("https://www.a.org/y?z=1") == "/y?z=1"
