"""Limits hold, are reported, and the same site gives the same pages however it is crawled."""

from __future__ import annotations

import asyncio
import hashlib
import time

import pytest

from steelyard.errors import SteelyardError
from steelyard.site.crawl import fetch, visits
from steelyard.site.crawl.links import PageLinks, read_links
from steelyard.site.crawl.options import CrawlOptions
from steelyard.site.crawl.summary import (
    BYTES,
    DEPTH,
    DIGITS,
    KINDS,
    LINK_BYTES,
    PAGES,
    PREPARATION,
    SITEMAPS,
    TIME,
    WAITING,
    CrawlSummary,
    Limit,
)
from steelyard.site.crawl.visits import crawl
from steelyard.site.model import EXCLUDED, FAILED, LISTED, SCORED, Fetched, Link, Visit
from tests.conftest import ROOT, SHARED_DATA
from tests.hostile.pages import within
from tests.site.crawl.crawling import Crawled, MemoryFrontier, cut_host, describe, list_options, tell
from tests.site.trap_site import Reply, TrapSite, html, redirect, spell

REAL_PAGES = SHARED_DATA / "html"


def test_two_runs_at_another_pace_find_the_same_pages() -> None:
    found = []
    for concurrency in (1, 4, 16):
        with TrapSite().serving() as site:
            waiting = ("/slow", "/drip-body", "/drip-headers", "/continue", "/busy", "/flaky", "/huge")
            site.pages |= {path: html() for path in waiting}
            crawled = Crawled(f"{site.url}/", concurrency=concurrency, max_pages=120, most_per_pattern=40, retries=2)
            limits = [(limit.kind, limit.left, limit.example.removeprefix(site.url)) for limit in crawled.end.limits]
            found.append((tell(crawled.visits.values()), limits))
    assert found[0] == found[1] == found[2]
    assert {PAGES, DIGITS} <= {kind for kind, _, _ in found[0][1]}


def test_the_limit_of_pages_counts_what_was_asked_for() -> None:
    with TrapSite(generated=100, traps=False).serving() as site:
        site.robots = "User-agent: *\nDisallow: /g/b$\n"
        crawled = Crawled(f"{site.url}/", max_pages=20)
        assert len(crawled.paths(SCORED)) == 20
        assert crawled.paths(EXCLUDED) == {"/g/b"}
        assert len([path for path in site.paths() if path.startswith("/g/")]) == 19
        (limit,) = crawled.end.limits
        assert limit == Limit(PAGES, 20, crawled.end.known - 21)


def test_a_whole_site_reaches_no_limit() -> None:
    with TrapSite(generated=60, traps=False).serving() as site:
        crawled = Crawled(f"{site.url}/", max_pages=60)
        assert len(crawled.paths(SCORED)) == 60
        assert crawled.end.limits == ()
        assert (crawled.end.finished, crawled.end.known) == (60, 60)


def test_depth_counts_clicks() -> None:
    with TrapSite(generated=200, traps=False).serving() as site:
        crawled = Crawled(f"{site.url}/", max_depth=1)
        assert len(crawled.visits) == 11
        assert crawled.end.limits == (Limit(DEPTH, 1, 100),)


def test_an_endless_calendar_ends() -> None:
    with TrapSite().serving() as site:
        crawled = Crawled(f"{site.url}/calendar/2026/1", most_per_pattern=30, max_depth=1000, use_sitemaps=False)
        assert len(crawled.paths(SCORED)) == 31  # the page the user named is not counted
        (limit,) = crawled.end.limits
        assert (limit.kind, limit.most) == (DIGITS, 30)
        assert limit.left == len(crawled.paths(EXCLUDED))


def test_time_ends_a_crawl() -> None:
    with TrapSite(generated=1000, traps=False).serving() as site:
        crawled = Crawled(f"{site.url}/", delay=0.1, max_seconds=0.5)
        (limit,) = crawled.end.limits
        assert limit.kind == TIME
        assert 0 < len(crawled.visits) < 100


def be_slow(_handler: object) -> Reply:
    time.sleep(20)
    return html()


def test_time_ends_what_is_under_way_and_another_run_goes_on() -> None:
    with TrapSite(traps=False).serving() as site:
        site.pages |= {"/": html("/a", "/slow"), "/a": html(), "/slow": be_slow}
        frontier = MemoryFrontier([Link(f"{site.url}/")])
        with within(15):
            end = crawl(frontier, list_options(timeout=60.0, max_seconds=2.0), describe)
        assert [(limit.kind, limit.most, limit.left) for limit in end.limits] == [(TIME, 2.0, 1)]
        assert [cut_host(visit.link.url) for visit in frontier.visits] == ["/", "/a"]


@pytest.mark.parametrize("concurrency", [1, 4])
def test_sitemaps_that_ask_to_come_back_later_do_not_hold_up_the_pages(
    concurrency: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visits, "PREPARATION_SECONDS", 1.0)
    with TrapSite(generated=5, traps=False).serving() as site:
        site.robots = "".join(f"Sitemap: {{site}}/s{n}.xml\n" for n in range(50))
        site.pages["/s0.xml"] = Reply(f"{site.url}/g/z".encode())
        later = Reply(status=503, headers={"Retry-After": "60"})
        site.pages |= {f"/s{n}.xml": later for n in range(1, 50)}
        with within(30):  # it took hours
            crawled = Crawled(f"{site.url}/", concurrency=concurrency)
        assert len(crawled.paths(SCORED)) == 6
        assert [(limit.kind, limit.left) for limit in crawled.end.limits] == [(PREPARATION, 2)]


def test_a_sitemap_that_is_under_way_when_its_time_is_over_does_not_hold_up_the_pages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(visits, "PREPARATION_SECONDS", 1.0)
    with TrapSite(generated=5, traps=False).serving() as site:
        site.pages["/sitemap.xml"] = be_slow
        with within(15):
            crawled = Crawled(f"{site.url}/", concurrency=1, timeout=60.0)
        assert len(crawled.paths(SCORED)) == 5
        assert [limit.kind for limit in crawled.end.limits] == [PREPARATION]


def test_a_sitemap_that_waits_for_its_turn_when_its_time_is_over_is_not_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(visits, "PREPARATION_SECONDS", 0.3)
    with TrapSite(generated=2, traps=False).serving() as site:
        site.robots = "User-agent: *\nCrawl-delay: 1\n"
        crawled = Crawled(f"{site.url}/", concurrency=1)
        assert len(crawled.paths(SCORED)) == 2
        assert PREPARATION in {limit.kind for limit in crawled.end.limits}
        assert not site.asked("/sitemap.xml")


def test_without_follow_only_the_given_addresses_are_visited() -> None:
    with TrapSite().serving() as site:
        frontier = MemoryFrontier(Link(f"{site.url}{path}", origin=LISTED) for path in ("/", "/allowed.html"))
        crawl(frontier, list_options(follow=False), describe)
        assert len(frontier.visits) == 2
        assert site.paths() == {"/robots.txt", "/", "/allowed.html"}


def test_a_sitemap_can_be_all_that_is_given() -> None:
    with TrapSite().serving() as site:
        frontier = MemoryFrontier()
        crawl(frontier, list_options(follow=False, sitemaps=(f"{site.url}/sitemap-index.xml",)), describe)
        assert len(frontier.visits) == 3


def test_links_of_a_level_are_visited_in_the_order_of_the_alphabet() -> None:
    with TrapSite(traps=False).serving() as site:
        site.pages |= {"/": html("/c", "/a", "/b"), "/a": html("/0"), **{p: html() for p in ("/b", "/c", "/0")}}
        Crawled(f"{site.url}/", concurrency=1)
        assert [one.path for one in site.log if one.path not in ("/robots.txt", "/sitemap.xml")] == [
            "/", "/a", "/b", "/c", "/0",
        ]  # fmt: skip


def test_no_more_bodies_wait_than_are_allowed() -> None:
    waiting, most = 0, 0

    async def handle(fetched: Fetched) -> Visit:
        nonlocal waiting, most
        waiting += 1
        most = max(most, waiting)
        await asyncio.sleep(0.02)
        waiting -= 1
        return await describe(fetched)

    with TrapSite(generated=100, traps=False).serving() as site:
        crawl(MemoryFrontier([Link(f"{site.url}/")]), list_options(concurrency=3), handle)
    assert 1 < most <= 6


def test_an_error_of_the_caller_ends_the_crawl() -> None:
    class DiskFull(SteelyardError):
        pass

    async def handle(fetched: Fetched) -> Visit:
        if fetched.link.depth:
            raise DiskFull("no room")
        return await describe(fetched)

    with TrapSite(generated=50, traps=False).serving() as site:
        frontier = MemoryFrontier([Link(f"{site.url}/")])
        with pytest.raises(DiskFull):
            crawl(frontier, list_options(), handle)
        assert len(frontier.visits) == 1


def test_a_server_that_dies_midway_leaves_a_reason_for_every_address() -> None:
    with TrapSite(generated=60, traps=False).serving() as site:
        started = time.monotonic()

        async def handle(fetched: Fetched) -> Visit:
            if len(frontier.visits) == 15:
                await asyncio.to_thread(site.stop)
            return await describe(fetched)

        frontier = MemoryFrontier([Link(f"{site.url}/")])
        end = crawl(frontier, list_options(timeout=2.0, retries=1), handle)
        assert end.finished == end.known > 15
        failed = [visit for visit in frontier.visits if visit.state == FAILED]
        assert failed
        assert all("connection" in visit.reason or "timed out" in visit.reason for visit in failed)
        assert time.monotonic() - started < 60  # not every address gets all its attempts


@pytest.mark.parametrize("directory", ["examples/html", "examples/site"])
def test_the_pages_of_a_directory_are_all_found(directory: str) -> None:
    with TrapSite(directory=ROOT / directory, traps=False).serving() as site:
        files = [p for p in (ROOT / directory).rglob("*") if p.suffix in (".html", ".md")]
        crawled = Crawled(f"{site.url}/")
        assert len([path for path in crawled.paths(SCORED) if path.endswith((".html", ".md"))]) == len(files)


@pytest.mark.full
@pytest.mark.skipif(not REAL_PAGES.is_dir(), reason="the real pages are not here (STEELYARD_DATA names the folder)")
def test_real_pages_and_traps_together() -> None:
    found = []
    for concurrency in (2, 8):
        with TrapSite(directory=REAL_PAGES).serving() as site:
            crawled = Crawled(f"{site.url}/", timeout=10.0, concurrency=concurrency, max_pages=5_000, max_depth=2)
            found.append(tell(crawled.visits.values()))
            real = [path for path in crawled.paths(SCORED) if path.endswith(".html") and path.count("/") == 1]
            assert len(real) >= 59
    assert found[0] == found[1]


def test_the_number_of_waiting_addresses_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visits, "MAX_WAITING", 20)
    monkeypatch.setattr(visits, "_SECONDS_BETWEEN_REPORTS", 0.0)
    with TrapSite(generated=10_000, traps=False).serving() as site:
        crawled = Crawled(f"{site.url}/", max_pages=30)
        assert crawled.end.known < 120
        assert WAITING in {limit.kind for limit in crawled.end.limits}


def flood(site: TrapSite, length: int) -> None:
    """Let every page of a site have 2,000 links of this length that no other page has."""

    def reply(handler: object) -> Reply:
        start = "".join(chr(97 + byte % 26) for byte in hashlib.sha256(handler.path.encode()).digest()[:12])  # type: ignore[attr-defined]
        return html(*(f"/{start}{spell(n).rjust(length - len(start) - 1, 'a')}" for n in range(2_000)))

    site.robots = None
    find = site.find
    site.find = lambda handler: reply(handler) if handler.path[1:7] not in ("robots", "sitema") else find(handler)  # type: ignore[method-assign]


def test_the_links_of_one_page_take_a_limited_number_of_bytes() -> None:
    with TrapSite(traps=False).serving() as site:
        flood(site, 1_900)
        frontier = MemoryFrontier([Link(f"{site.url}/")])
        end = crawl(frontier, list_options(max_pages=5), describe)
        assert 4 * visits.MAX_LINK_BYTES < frontier.measure_bytes() <= 5 * visits.MAX_LINK_BYTES + 100
        assert [(limit.kind, limit.left) for limit in end.limits] == [(PAGES, end.known - 5), (LINK_BYTES, 5)]


def test_ordinary_links_are_all_kept() -> None:
    with TrapSite(traps=False).serving() as site:
        flood(site, 150)
        crawled = Crawled(f"{site.url}/", max_pages=3)
        assert [limit.kind for limit in crawled.end.limits] == [PAGES]
        assert crawled.end.known == 1 + 3 * 2_000


def test_the_addresses_of_an_audit_take_a_limited_number_of_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visits, "MAX_BYTES", 1_500_000)
    with TrapSite(traps=False).serving() as site:
        flood(site, 1_900)
        crawled = Crawled(f"{site.url}/", max_pages=10)
        assert crawled.end.known < 1_000
        assert {(limit.kind, limit.left) for limit in crawled.end.limits} >= {(LINK_BYTES, 2), (BYTES, 8)}


def test_the_addresses_of_sitemaps_take_a_limited_number_of_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visits, "MAX_BYTES", 200_000)
    with TrapSite(traps=False).serving() as site:
        listed = "\n".join(f"{site.url}/{spell(n).rjust(1_900, 'a')}" for n in range(500))
        site.pages |= {"/": html(), "/sitemap.xml": Reply(listed.encode())}
        crawled = Crawled(f"{site.url}/", max_pages=2)
        assert crawled.end.known < 60
        assert SITEMAPS in {limit.kind for limit in crawled.end.limits}


def test_a_fault_on_one_page_loses_no_other(monkeypatch: pytest.MonkeyPatch) -> None:

    def read_badly(body: bytes, charset: str | None, product: str) -> PageLinks:
        if b"trigger" in body:
            raise RuntimeError("boom")
        return read_links(body, charset, product)

    monkeypatch.setattr(fetch, "read_links", read_badly)
    with TrapSite(traps=False).serving() as site:
        site.pages |= {"/": html("/a", "/b"), "/a": html(text="trigger"), "/b": html()}
        crawled = Crawled(f"{site.url}/")
        assert crawled.paths(SCORED) == {"/", "/b"}
        assert "boom" in crawled.visits["/a"].reason
        assert "this is a bug" in crawled.visits["/a"].reason


def test_limits_are_told_in_sentences() -> None:
    for kind in KINDS:
        told = Limit(kind, 1_000, 2_000, "http://a/").describe()
        assert "1,000" in told
        assert "2,000" in told
        assert told.endswith(", for example http://a/")


def test_what_the_user_should_know_is_told() -> None:
    end = CrawlSummary(
        1, 2, (Limit(PAGES, 1, 1),), {"a": 60.0, "b": 0.5}, {"a": 3600.0}, (("http://a/s.xml", "is no sitemap"),)
    )
    assert end.list_notes() == [
        "the limit of pages (1) was reached; known and not visited: 1",
        "60 s between two requests to a, because its robots.txt asks for it; it asks for 3,600 s, and no crawl waits "
        "so long",
        "0.5 s between two requests to b, because its robots.txt asks for it",
        "the sitemap http://a/s.xml could not be read: is no sitemap",
    ]
    assert end.to_dict()["limits"] == [{"kind": "pages", "most": 1, "left": 1, "example": ""}]


def test_what_comes_before_the_start_adds_no_pages() -> None:
    with TrapSite(traps=False).serving() as site:
        site.pages |= {"/": html("/a"), "/a": html(), "/probe": html("/never")}
        frontier = MemoryFrontier([Link(f"{site.url}/"), Link(f"{site.url}/probe", -1, "probe")])
        crawl(frontier, list_options(use_sitemaps=False), describe)
        assert [one.path for one in site.log] == ["/robots.txt", "/probe", "/", "/a"]


def test_addresses_of_several_sites_may_be_listed() -> None:
    with TrapSite(traps=False).serving() as one, TrapSite(traps=False).serving() as other:
        for site in (one, other):
            site.pages |= {"/x": redirect("/y"), "/y": html()}
        listed = [Link(f"{site.url}/x", origin=LISTED) for site in (one, other)]
        frontier = MemoryFrontier(listed)
        crawl(frontier, list_options(follow=False, site=f"{one.url}/x", headers={"X-Key": "secret"}), describe)
        assert [visit.state for visit in frontier.visits] == [SCORED, SCORED]
        assert all("x-key" in asked.headers for asked in one.log)
        assert not any("x-key" in asked.headers for asked in other.log)


@pytest.mark.parametrize("headers", [{"X Y": "1"}, {"X": "a\r\nY: secret"}, {"Accept-Encoding": "br"}, {"": "x"}])
def test_headers_that_cannot_be_sent_are_refused_without_their_values(headers: dict[str, str]) -> None:
    with pytest.raises(SteelyardError) as refused:
        CrawlOptions(headers=headers)
    assert "secret" not in str(refused.value)


def test_secrets_are_not_shown() -> None:
    assert "secret" not in repr(CrawlOptions(headers={"Authorization": "secret"}))


def test_a_page_that_names_many_addresses_does_not_hide_others() -> None:
    with TrapSite(traps=False).serving() as site:
        site.pages["/"] = Reply(b"".join(b'<a href="/x?%d">' % n for n in range(300)) + b'<a href="/z">')
        site.pages |= {"/z": html(), "/x": html()}
        crawled = Crawled(f"{site.url}/")
        assert "/z" in crawled.paths(SCORED)
        assert len([p for p in crawled.paths(SCORED) if p.startswith("/x?")]) == 50
