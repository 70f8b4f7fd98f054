"""The checks of one page."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date

import pytest

from steelyard.settings import Settings
from steelyard.site.access.page_access import CHECKS, FAILING, PageAccess
from steelyard.site.access.read import Answer, read_access
from steelyard.site.access.tags import read_canonical_links
from steelyard.site.measure import measure
from steelyard.site.model import NOT_MEASURED, SCORED, Fetched, Link
from tests.conftest import SENTENCE

URL = "https://a.example/page"
SETTINGS = Settings.resolve(as_of=date(2026, 7, 1), detect=True)


def page(head: str = "", body: str = "") -> Answer:
    return Answer(URL, f"<html><head><title>Ships</title>{head}</head><body>{body}</body></html>")


def ld(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return f'<script type="application/ld+json">{text}</script>'


def test_a_plain_page_passes_what_applies_to_it() -> None:
    assert read_access(page()) == PageAccess(("index", "snippet", "scripts"))
    assert read_access(Answer(URL)) == PageAccess(("index", "snippet"))  # text has no scripts and no structured data


@pytest.mark.parametrize(
    ("answer", "failed"),
    [
        (page('<meta name="robots" content="noindex">'), {"index": "noindex for everybody in a robots meta tag"}),
        (page("<META NAME=ROBOTS CONTENT=NONE>"), {"index": "none for everybody in a robots meta tag"}),
        (page('<meta name="GPTBot" content="noindex">'), {"index": "noindex for GPTBot in a robots meta tag"}),
        (page('<meta name="someoneelse" content="noindex">'), {}),
        (page('<!-- <meta name=robots content=none> --><script>"<meta name=robots content=none>"</script>'), {}),
        (page('<meta name="robots" content="nosnippet">'), {"snippet": "nosnippet for everybody in a robots meta tag"}),
        (
            page('<meta name="robots" content="max-snippet: 0">'),
            {"snippet": "max-snippet:0 for everybody in a robots meta tag"},
        ),
        (page('<meta name="robots" content="max-snippet:-1, index, follow">'), {}),
        (replace(page(), x_robots_tag="bingbot: noindex"), {"index": "noindex for bingbot in X-Robots-Tag"}),
        (replace(page(), x_robots_tag="otherbot: noindex"), {}),
        (page('<link rel=canonical href="/page"><link rel="canonical" href="https://a.example/page#top">'), {}),
        (
            page('<link rel=canonical href="/page"><link rel="canonical" href="/b">'),
            {"canonical": "names 2 addresses: https://a.example/page, https://a.example/b"},
        ),
        (
            replace(page('<link rel=canonical href="/page">'), link='<https://a.example/c>; rel="canonical"'),
            {"canonical": "names 2 addresses: https://a.example/page, https://a.example/c"},
        ),
        (
            page('<link rel=canonical href="javascript:1">'),
            {"canonical": "names “javascript:1”, which is no web address"},
        ),
        (page("", '<link rel=canonical href="/elsewhere">'), {}),
        (replace(page(), scripted="needs JavaScript"), {"scripts": "needs JavaScript"}),
        (page(ld("{")), {"json_ld": "block 1: Expecting property name enclosed in double quotes in line 1, column 2"}),
        (page(ld('{"a": "x\ny"}')), {"json_ld": "block 1: Invalid control character at in line 1, column 9"}),
        (page(ld("[" * 100_000)), {"json_ld": "block 1: nested too deep, or a number too long"}),
        (page(ld("1" * 10_000)), {"json_ld": "block 1: nested too deep, or a number too long"}),
        (page(ld(" ")), {}),
    ],
)
def test_what_stands_in_the_way_is_named(answer: Answer, failed: dict[str, str]) -> None:
    assert read_access(answer).failed == failed


def test_every_check_says_what_passes_and_what_fails() -> None:
    assert list(CHECKS) == list(FAILING)


def test_noindex_and_another_canonical_address_contradict_each_other() -> None:
    head = '<meta name="robots" content="noindex"><link rel=canonical href="/other">'
    assert (
        read_access(page(head)).failed["canonical"] == "has noindex, and names another address: https://a.example/other"
    )


@pytest.mark.parametrize(
    ("value", "shown", "failed"),
    [
        ({"@type": "NewsArticle", "headline": "Old ships of the north"}, ["Old Ships of the North"], set()),
        ({"@type": "NewsArticle", "headline": "Old ships of the north"}, ["A cake with plums"], {"title"}),
        ({"@type": "NewsArticle", "headline": "Old ships of the north"}, [], None),  # nothing was seen
        ({"@type": "Organization", "name": "A company with a name"}, ["A cake with plums"], None),
        ({"@type": "Article", "datePublished": "2024-03-01T23:00Z"}, ["Published 2 March 2024"], set()),
        ({"@type": "Article", "datePublished": "2019-03-01"}, ["Published 2 March 2024"], {"date"}),
        ({"@type": "Article", "datePublished": "2019-03-01"}, ["2 March 2024"], None),  # of something, perhaps
        ({"@type": "Article", "datePublished": "2019-03-01"}, ["Published 2 March 2024", "Published 5 May 2023"], None),
        ({"@type": "Article", "dateModified": "2019-03-01"}, ["Updated 2 March 2024"], {"date"}),
        (
            {"@graph": [{"@type": "BlogPosting", "headline": "Old ships of the north"}]},
            ["Old ships of the north"],
            set(),
        ),
    ],
)
def test_structured_data_is_compared_with_the_page(value: object, shown: list[str], failed: set[str] | None) -> None:
    access = read_access(replace(page(ld(value)), shown=shown))
    compared = {"title", "date"} & {*access.passed, *access.failed}
    assert set(access.failed) == (failed or set())
    assert bool(compared) == (failed is not None)


def test_links_in_a_header_are_read_whatever_they_hold() -> None:
    assert list(read_canonical_links('<a>; rel=preload, <b>; foo; rel="x canonical", <c; rel=canonical')) == ["b"]
    assert list(read_canonical_links("<" * 10_000)) == []


def test_hostile_pages_are_read_in_bounded_time() -> None:
    for html in (
        "<meta name=robots content=" * 50_000,
        "<link rel=canonical href=/x" * 50_000,
        "<script type=application/ld+json>" * 50_000,
        "<!--" * 100_000,
        page("".join(ld({"@type": "Article", "headline": f"one two three {n}"}) for n in range(2_000))).html or "",
    ):
        access = read_access(Answer(URL, html, shown=["four five six seven"] * 5_000))
        assert set(access.passed) | set(access.failed) <= set(CHECKS), html[:40]


def test_access_goes_through_json() -> None:
    access = PageAccess(("index",), {"title": "<b>\x1b"}, ("GPTBot",))
    assert PageAccess.from_dict(json.loads(json.dumps(access.to_dict()))) == access


def answer(body: str, **more: object) -> Fetched:
    return replace(Fetched(Link(URL), URL, 200, "text/html", None, body.encode()), **more)  # type: ignore[arg-type]


def test_measured_pages_have_their_access() -> None:
    html = page("<meta name=robots content=noindex>", f"<p>{SENTENCE * 10}</p>").html or ""
    visit = measure(answer(html, x_robots_tag="nosnippet", forbidden=("GPTBot",)), SETTINGS)
    assert visit.state == SCORED
    assert visit.access is not None
    assert set(visit.access.failed) == {"index", "snippet"}
    assert visit.access.forbidden == ("GPTBot",)
    shell = measure(answer('<html><body><div id="app"></div><script src="a.js"></script></body></html>'), SETTINGS)
    assert shell.state == NOT_MEASURED
    assert shell.access is not None
    assert set(shell.access.failed) == {"scripts"}
    assert measure(answer(html, status=404), SETTINGS).access is None
