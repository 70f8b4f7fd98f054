"""A crawl of a site full of traps ends, obeys every rule, and says what became of each address."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from steelyard.site.crawl.options import USER_AGENT
from steelyard.site.crawl.summary import DEPTH, QUERIES
from steelyard.site.model import EXCLUDED, FAILED, LINK, NOT_MEASURED, SCORED, SITEMAP
from tests.site.crawl.crawling import Crawled
from tests.site.trap_site import TrapSite


@pytest.fixture(scope="module")
def trapped() -> Iterator[tuple[TrapSite, Crawled]]:
    with TrapSite().serving() as site:
        yield site, Crawled(f"{site.url}/", timeout=1.0, max_depth=6)


@pytest.fixture
def site(trapped: tuple[TrapSite, Crawled]) -> TrapSite:
    return trapped[0]


@pytest.fixture
def crawled(trapped: tuple[TrapSite, Crawled]) -> Crawled:
    return trapped[1]


OUTCOMES = {
    "/": (SCORED, ""),
    "/allowed.html": (SCORED, ""),
    "/deeper/one.html": (SCORED, ""),
    "/deeper/two.html": (SCORED, ""),
    "/forbidden/page.html": (EXCLUDED, "forbidden by robots.txt"),
    "/forbidden/except.html": (SCORED, ""),
    "/x.secret": (EXCLUDED, "forbidden by robots.txt"),
    "/loop/a": (FAILED, "redirects in a loop"),
    "/chain/0": (FAILED, "redirects over 10 times"),
    "/slow": (FAILED, "timed out after 1 s"),
    "/drip-body": (FAILED, "timed out after 1 s"),
    "/drip-headers": (FAILED, "timed out after 1 s"),
    "/continue": (FAILED, "timed out after 1 s"),
    "/flood-headers": (FAILED, "the answer is not valid HTTP"),
    "/huge": (NOT_MEASURED, "is larger than 10,000,000 bytes"),
    "/announced-huge": (NOT_MEASURED, "is larger than 10,000,000 bytes"),
    "/bomb": (NOT_MEASURED, "is larger than 10,000,000 bytes"),
    "/nested": (NOT_MEASURED, "is packed 2 times over"),
    "/brotli": (NOT_MEASURED, "is packed as 'br', which was not offered"),
    "/packed": (SCORED, ""),
    "/deflated": (SCORED, ""),
    "/charset/wrong": (SCORED, ""),
    "/charset/missing": (SCORED, ""),
    "/soft404/one": (SCORED, ""),
    "/shell": (SCORED, ""),
    "/refresh": (SCORED, ""),
    "/image.png": (NOT_MEASURED, "is image/png, not a page"),
    "/busy": (SCORED, ""),
    "/flaky": (SCORED, ""),
    "/off-site-redirect": (EXCLUDED, "redirects to another site (elsewhere.example)"),
    "/private-redirect": (EXCLUDED, "redirects to another site (127.0.0.2)"),
    "/copy": (SCORED, ""),
    "/nofollow-page": (SCORED, ""),
    "/noindex-page": (SCORED, ""),
    "/behind-noindex": (SCORED, ""),
    "/gone": (FAILED, "answered with status 410 (Gone)"),
    "/nothing": (FAILED, "answered with status 404 (Not Found)"),
    "/orphan": (SCORED, ""),
    "/also&orphan": (SCORED, ""),
    "/listed-orphan": (SCORED, ""),
}


def test_every_address_has_its_outcome(crawled: Crawled) -> None:
    found = {path: (visit.state, visit.reason) for path, visit in crawled.visits.items()}
    generated = {path for path in found if path.startswith(("/calendar/", "/shop"))}
    assert {path: outcome for path, outcome in found.items() if path not in generated} == OUTCOMES


def test_nothing_forbidden_was_asked_for(site: TrapSite) -> None:
    assert not site.paths() & {"/forbidden/page.html", "/x.secret", "/behind-nofollow", "/nofollow-link"}
    assert site.log[0].path == "/robots.txt"
    assert len(site.asked("/robots.txt")) == 1


def test_requests_are_plain(site: TrapSite) -> None:
    for asked in site.log:
        assert asked.headers["user-agent"] == USER_AGENT
        assert asked.headers["accept-encoding"] == "gzip, deflate"
        assert not {"cookie", "referer", "authorization"} & asked.headers.keys()


def test_each_page_is_asked_for_once_and_what_may_pass_again(site: TrapSite) -> None:
    for path in ("/allowed.html", "/image.png", "/huge", "/gone", "/nothing", "/slow", "/drip-body"):
        assert len(site.asked(path)) == 1, path
    first, second = site.asked("/busy")
    assert second.when - first.when >= 2.0  # as Retry-After says; by itself it would wait for 0.5 to 1 s
    tries = site.asked("/flaky")
    assert len(tries) == 3
    assert tries[2].when - tries[1].when > 1.0  # it backs off: 0.5 to 1 s, then 1 to 2 s
    assert tries[1].when - tries[0].when >= 0.5


def test_a_redirect_names_where_the_page_is(crawled: Crawled, site: TrapSite) -> None:
    assert crawled.visits["/refresh"].final_url == f"{site.url}/refreshed"


def test_session_ids_make_no_new_pages_and_filters_end(crawled: Crawled, site: TrapSite) -> None:
    assert {"/shop", "/shop?page=two"} <= crawled.paths(SCORED)
    assert not [path for path in site.paths() if "sess" in path.lower() or "utm_" in path]
    asked = [path for path in site.paths() if path.startswith("/shop?")]
    assert len(asked) == 50
    (limit,) = (limit for limit in crawled.end.limits if limit.kind == QUERIES)
    assert limit.left == len([p for p in crawled.paths(EXCLUDED) if p.startswith("/shop?")]) > 0
    assert "/shop?filter=" in limit.example


def test_depth_ends_the_calendar(crawled: Crawled) -> None:
    (limit,) = (limit for limit in crawled.end.limits if limit.kind == DEPTH)
    assert limit.left == crawled.end.known - crawled.end.finished > 0
    assert max(visit.link.depth for visit in crawled.visits.values()) == 6


def test_sitemaps_are_read_through_their_index(crawled: Crawled) -> None:
    origins = {
        path: crawled.visits[path].link.origin for path in ("/orphan", "/also&orphan", "/listed-orphan", "/copy")
    }
    assert origins == {"/orphan": SITEMAP, "/also&orphan": SITEMAP, "/listed-orphan": SITEMAP, "/copy": LINK}
    assert {(url.rpartition("/")[2], reason) for url, reason in crawled.end.failed_sitemaps} == {
        ("sitemap-bad.xml", "declares entities, which are not read"),
        ("sitemap-missing.xml", "answered with status 404 (Not Found)"),
    }
