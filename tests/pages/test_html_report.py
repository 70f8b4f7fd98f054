"""The HTML report as a file: its policy, its parts, its order, the same bytes for the same pages."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from datetime import date
from itertools import pairwise

import pytest

from steelyard.inputs.page_ref import PageRef
from steelyard.pages.html import document, render_report
from steelyard.pages.html.site import find_directory
from steelyard.pipeline import PageError, PageResult, analyse
from steelyard.settings import Settings
from steelyard.support import escape
from tests.conftest import ROOT

AS_OF = date(2026, 7, 1)
SITE = ROOT / "examples" / "site"


@pytest.fixture(scope="module")
def pages() -> list[PageResult]:
    settings = Settings.resolve(as_of=AS_OF, keep_text=True, detect=True)
    paths = [*sorted((SITE / "shop").glob("*.md")), *sorted((SITE / "fr").glob("*.md"))[:4]]
    return [analyse(PageRef(p.relative_to(SITE).as_posix(), path=str(p)), settings) for p in paths]


@pytest.fixture(scope="module")
def report(pages: list[PageResult]) -> str:
    return render_report(pages, [PageError("gone.md", "gone.md: no such file")], AS_OF)


def test_the_policy_allows_exactly_the_style_and_the_script_of_the_file(report: str) -> None:
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', report)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for element, rule in (("style", "style-src"), ("script", "script-src")):
        (content,) = re.findall(rf"<{element}>(.*?)</{element}>", report, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{rule} 'sha256-{digest}'" in policy
    assert not re.search(r"\s(?:style|src|on[a-z]+)=", report.partition("<body>")[2].partition("<script>")[0])
    assert not re.search(r"https?:|@import|url\(", "".join(re.findall(r"<style>(.*?)</style>", report, re.DOTALL)))


def test_the_same_pages_give_the_same_bytes_in_any_order(pages: list[PageResult], report: str) -> None:
    errors = [PageError("gone.md", "gone.md: no such file")]
    assert render_report(pages[::-1], errors, AS_OF) == report


def test_every_page_is_in_the_table_and_its_link_leads_inside_its_details(pages: list[PageResult], report: str) -> None:
    links = re.findall(r'<td><a href="#(p[0-9]+)">([^<]+)</a></td>', report)
    assert len(links) == len(pages)
    for target, name in links:
        assert f"<summary><h3>{name}</h3>" in report
        assert re.search(
            rf'<details class="page"><summary><h3>{re.escape(name)}</h3>[^/]*</b></summary><div id="{target}">', report
        )


def test_the_table_is_sorted_by_score_and_says_so(report: str) -> None:
    body = report.partition('<table class="pages">')[2].partition("</table>")[0]
    scores = [float(s) for s in re.findall(r"<b>([0-9.]+)</b>", body)]
    assert scores == sorted(scores)
    assert body.count("aria-sort") == body.count('data-sort="number" aria-sort="ascending">score</th>') == 1


def test_the_site_view_counts_gaps_and_directories(pages: list[PageResult], report: str) -> None:
    changes = report.partition('<table class="todo">')[2].partition("</table>")[0]
    found = [s for r in pages for s in r.suggestions if s.topic == "opening"]
    row = next(line for line in changes.split("\n") if f"<b>{escape.html(found[0].action)}</b>" in line)
    assert f">{len(found)}</td>" in row
    assert f"{sum(s.gain or 0.0 for s in found) / len(found):+.1f} points a page" in row
    assert row.count('<li><a href="#p') == len(found)
    directories = report.partition('<table class="directories">')[2].partition("</table>")[0]
    lowest = min(r.score for r in pages if r.source.startswith("shop/"))
    assert re.search(
        rf'<td>shop</td><td class="n">7</td><td class="n">[0-9.]+</td><td class="n">{lowest:.1f}</td>', directories
    )
    assert "<td>fr</td>" in directories
    shown = re.findall(r"<title>\d+ to \d+: (\d+) pages?</title>", report)
    assert sum(map(int, shown)) == len(pages)


def test_a_page_belongs_to_its_directory_or_host(pages: list[PageResult]) -> None:
    for source, url, directory in (
        ("a/b/c.md", None, "a/b"),
        ("c.md", "https://x.example/", "."),
        ("pages.jsonl:3", None, "pages.jsonl"),
        ("in/pages.JSONL:3 (https://x.example/a)", "https://x.example/a", "x.example"),
    ):
        assert find_directory(replace(pages[0], source=source, url=url)) == directory


def test_headings_are_in_order_and_ids_are_unique(report: str) -> None:
    levels = [int(level) for level in re.findall(r"<h([1-6])[ >]", report)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))
    ids = re.findall(r'\sid="([^"]+)"', report)
    assert len(ids) == len(set(ids))


def test_a_single_page_is_open_without_a_table_and_no_page_is_a_report_too(pages: list[PageResult]) -> None:
    report = render_report(pages[:1], [], AS_OF)
    assert '<details class="page"' not in report
    assert 'class="pages"' not in report
    assert 'id="pages"' in report  # where the skip link leads
    assert "gone.md: no such file" in render_report([], [PageError("gone.md", "no such file")], AS_OF)


def test_the_texts_of_many_pages_are_shortened(pages: list[PageResult], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "MAX_WHOLE_TEXTS", 5)
    monkeypatch.setattr(document, "MAX_TEXTS", 8)
    report = render_report(pages, [], AS_OF)
    assert "without evidence</summary>" in report
    assert report.count('<div class="text"') == 8
    monkeypatch.setattr(document, "MAX_ALL_TEXTS", 100)
    monkeypatch.setattr(document, "MIN_TEXT", 100)
    assert "characters is not shown" in render_report(pages, [], AS_OF)


def test_evidence_is_explained_in_legends_that_have_every_mark_used(report: str) -> None:
    texts = report.split('<div class="marked">')[1:]
    for text in texts:
        legend, _, marked = text.partition("</ul>")
        used = set(re.findall(r'<mark[^>]* class="(m[0-9])[" ]', marked))
        assert used == set(re.findall(r'data-kind="(m[0-9])"', legend)), legend
        assert all(f'id="{place}"' in marked for place in re.findall(r'href="#([^"]+)"', legend))
    assert len(set(re.findall(r'data-kind="(m[0-9])"', report))) >= 4


def test_the_weakest_section_is_first_and_its_name_leads_to_it(report: str) -> None:
    tables = re.findall(r'<table class="sections">.*?</table>', report, re.DOTALL)
    assert tables
    for table in tables:
        contents = [float(c) for c in re.findall(r'bar w[0-9]+">([0-9.]+)</td>', table)]
        assert contents == sorted(contents)
        assert all(f'id="{place}"' in report for place in re.findall(r'href="#([^"]+)"', table))
    assert any('href="#' in table for table in tables)
