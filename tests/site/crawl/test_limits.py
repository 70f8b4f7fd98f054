"""Limits hold, are reported, and the same site gives the same pages however it is crawled."""

from __future__ import annotations

import ast
import asyncio
import hashlib
import time
from dataclasses import fields
from pathlib import Path

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
from tests.conftest import ROOT
from tests.hostile.pages import within
from tests.site.crawl.crawling import Crawled, FileFrontier, cut_host, describe, list_options, tell
from tests.site.trap_site import Reply, TrapSite, html, redirect, spell


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


def test_the_limit_of_pages_counts_what_was_asked_for(site: TrapSite) -> None:
    site.generated = 100
    site.robots = "User-agent: *\nDisallow: /g/b$\n"
    crawled = Crawled(f"{site.url}/", max_pages=20)
    assert len(crawled.paths(SCORED)) == 20
    assert crawled.paths(EXCLUDED) == {"/g/b"}
    assert len([path for path in site.paths() if path.startswith("/g/")]) == 19
    (limit,) = crawled.end.limits
    assert limit == Limit(PAGES, 20, crawled.end.known - 21)


def test_depth_counts_clicks(site: TrapSite) -> None:
    site.generated = 200
    crawled = Crawled(f"{site.url}/", max_depth=1)
    assert len(crawled.visits) == 11
    assert crawled.end.limits == (Limit(DEPTH, 1, 100),)


def be_slow(_handler: object) -> Reply:
    time.sleep(20)
    return html()


def test_time_ends_what_is_under_way_and_another_run_goes_on(site: TrapSite) -> None:
    site.pages |= {"/": html("/a", "/slow"), "/a": html(), "/slow": be_slow}
    frontier = FileFrontier([Link(f"{site.url}/")])
    with within(15):
        end = crawl(frontier, list_options(timeout=60.0, max_seconds=2.0), describe)
    assert [(limit.kind, limit.most, limit.left) for limit in end.limits] == [(TIME, 2.0, 1)]
    assert [cut_host(visit.link.url) for visit in frontier.visits] == ["/", "/a"]


@pytest.mark.parametrize("concurrency", [1, 4])
def test_sitemaps_that_ask_to_come_back_later_do_not_hold_up_the_pages(
    concurrency: int, monkeypatch: pytest.MonkeyPatch, site: TrapSite
) -> None:
    monkeypatch.setattr(visits, "PREPARATION_SECONDS", 1.0)
    site.generated = 5
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
    site: TrapSite,
) -> None:
    monkeypatch.setattr(visits, "PREPARATION_SECONDS", 1.0)
    site.generated = 5
    site.pages["/sitemap.xml"] = be_slow
    with within(15):
        crawled = Crawled(f"{site.url}/", concurrency=1, timeout=60.0)
    assert len(crawled.paths(SCORED)) == 5
    assert [limit.kind for limit in crawled.end.limits] == [PREPARATION]


def test_a_sitemap_that_waits_for_its_turn_when_its_time_is_over_is_not_asked_for(
    monkeypatch: pytest.MonkeyPatch,
    site: TrapSite,
) -> None:
    monkeypatch.setattr(visits, "PREPARATION_SECONDS", 0.3)
    site.generated = 2
    site.robots = "User-agent: *\nCrawl-delay: 1\n"
    crawled = Crawled(f"{site.url}/", concurrency=1)
    assert len(crawled.paths(SCORED)) == 2
    assert PREPARATION in {limit.kind for limit in crawled.end.limits}
    assert not site.asked("/sitemap.xml")


def test_without_follow_only_the_given_addresses_are_visited(trap_site: TrapSite) -> None:
    frontier = FileFrontier(Link(f"{trap_site.url}{path}", origin=LISTED) for path in ("/", "/allowed.html"))
    crawl(frontier, list_options(follow=False), describe)
    assert len(frontier.visits) == 2
    assert trap_site.paths() == {"/robots.txt", "/", "/allowed.html", "/llms.txt"}
    frontier = FileFrontier()  # a sitemap can be all that is given
    crawl(frontier, list_options(follow=False, sitemaps=(f"{trap_site.url}/sitemap-index.xml",)), describe)
    assert len(frontier.visits) == 3


def test_no_more_bodies_wait_than_are_allowed(site: TrapSite) -> None:
    waiting, most = 0, 0

    async def handle(fetched: Fetched) -> Visit:
        nonlocal waiting, most
        waiting += 1
        most = max(most, waiting)
        await asyncio.sleep(0.02)
        waiting -= 1
        return await describe(fetched)

    site.generated = 100
    crawl(FileFrontier([Link(f"{site.url}/")]), list_options(concurrency=3), handle)
    assert 1 < most <= 6


def test_an_error_of_the_caller_ends_the_crawl(site: TrapSite) -> None:
    class DiskFull(SteelyardError):
        pass

    async def handle(fetched: Fetched) -> Visit:
        if fetched.link.depth:
            raise DiskFull("no room")
        return await describe(fetched)

    site.generated = 50
    frontier = FileFrontier([Link(f"{site.url}/")])
    with pytest.raises(DiskFull):
        crawl(frontier, list_options(), handle)
    assert len(frontier.visits) == 1


def test_a_server_that_dies_midway_leaves_a_reason_for_every_address(site: TrapSite) -> None:
    site.generated = 60
    started = time.monotonic()

    async def handle(fetched: Fetched) -> Visit:
        if len(frontier.visits) == 15:
            await asyncio.to_thread(site.stop)
        return await describe(fetched)

    frontier = FileFrontier([Link(f"{site.url}/")])
    end = crawl(frontier, list_options(timeout=2.0, retries=1), handle)
    assert end.finished == end.known > 15
    failed = [visit for visit in frontier.visits if visit.state == FAILED]
    assert failed
    assert all("connection" in visit.reason or "timed out" in visit.reason for visit in failed)
    assert time.monotonic() - started < 60  # not every address gets all its attempts


def test_pages_in_markdown_are_found() -> None:
    with TrapSite(directory=ROOT / "examples" / "site", traps=False).serving() as site:
        assert Crawled(f"{site.url}/").paths(SCORED) == {"/", *site.files}


def test_the_number_of_waiting_addresses_is_limited(monkeypatch: pytest.MonkeyPatch, site: TrapSite) -> None:
    monkeypatch.setattr(visits, "MAX_WAITING", 20)
    monkeypatch.setattr(visits, "_SECONDS_BETWEEN_REPORTS", 0.0)
    site.generated = 10_000
    crawled = Crawled(f"{site.url}/", max_pages=30)
    assert crawled.end.known < 120
    assert WAITING in {limit.kind for limit in crawled.end.limits}


def flood(site: TrapSite, length: int) -> None:
    """Let every page of a site have 2,000 links of this length that no other page has."""

    def reply(handler: object) -> Reply:
        start = "".join(chr(97 + byte % 26) for byte in hashlib.sha256(handler.path.encode()).digest()[:12])  # type: ignore[attr-defined]
        return html(*(f"/{start}{spell(n).rjust(length - len(start) - 1, 'a')}" for n in range(2_000)))

    site.pages["/sitemap.xml"] = Reply(status=404, headers={})
    site.answer_unknown = reply


def test_the_links_of_one_page_take_a_limited_number_of_bytes(site: TrapSite) -> None:
    flood(site, 1_900)
    frontier = FileFrontier([Link(f"{site.url}/")])
    end = crawl(frontier, list_options(max_pages=5), describe)
    assert 4 * visits.MAX_LINK_BYTES < frontier.measure_bytes() <= 5 * visits.MAX_LINK_BYTES + 100
    assert [(limit.kind, limit.left) for limit in end.limits] == [(PAGES, end.known - 5), (LINK_BYTES, 5)]


def test_ordinary_links_are_all_kept(site: TrapSite) -> None:
    flood(site, 150)
    crawled = Crawled(f"{site.url}/", max_pages=3)
    assert [limit.kind for limit in crawled.end.limits] == [PAGES]
    assert crawled.end.known == 1 + 3 * 2_000


def test_the_addresses_of_an_audit_take_a_limited_number_of_bytes(
    monkeypatch: pytest.MonkeyPatch, site: TrapSite
) -> None:
    monkeypatch.setattr(visits, "MAX_BYTES", 1_500_000)
    flood(site, 1_900)
    crawled = Crawled(f"{site.url}/", max_pages=10)
    assert crawled.end.known < 1_000
    assert {(limit.kind, limit.left) for limit in crawled.end.limits} >= {(LINK_BYTES, 2), (BYTES, 8)}


def test_the_addresses_of_sitemaps_take_a_limited_number_of_bytes(
    monkeypatch: pytest.MonkeyPatch, site: TrapSite
) -> None:
    monkeypatch.setattr(visits, "MAX_BYTES", 200_000)
    listed = "\n".join(f"{site.url}/{spell(n).rjust(1_900, 'a')}" for n in range(500))
    site.pages |= {"/": html(), "/sitemap.xml": Reply(listed.encode())}
    crawled = Crawled(f"{site.url}/", max_pages=2)
    assert crawled.end.known < 60
    assert SITEMAPS in {limit.kind for limit in crawled.end.limits}


def test_a_fault_on_one_page_loses_no_other(monkeypatch: pytest.MonkeyPatch, site: TrapSite) -> None:

    def read_badly(body: bytes, charset: str | None, product: str) -> PageLinks:
        if b"trigger" in body:
            raise RuntimeError("boom")
        return read_links(body, charset, product)

    monkeypatch.setattr(fetch, "read_links", read_badly)
    site.pages |= {"/": html("/a", "/b"), "/a": html(text="trigger"), "/b": html()}
    crawled = Crawled(f"{site.url}/")
    assert crawled.paths(SCORED) == {"/", "/b"}
    assert "boom" in crawled.visits["/a"].reason
    assert "this is a bug" in crawled.visits["/a"].reason


def test_addresses_are_visited_by_depth_and_alphabet_and_what_comes_before_the_start_adds_none(site: TrapSite) -> None:
    site.pages |= {"/": html("/c", "/a", "/b"), "/a": html("/0"), "/probe": html("/never")}
    site.pages |= {path: html() for path in ("/b", "/c", "/0")}
    frontier = FileFrontier([Link(f"{site.url}/"), Link(f"{site.url}/probe", -1, "probe")])
    crawl(frontier, list_options(use_sitemaps=False, concurrency=1), describe)
    assert [asked.path for asked in site.log] == ["/robots.txt", "/probe", "/", "/a", "/b", "/c", "/0", "/llms.txt"]


def test_addresses_of_several_sites_may_be_listed() -> None:
    with TrapSite(traps=False).serving() as one, TrapSite(traps=False).serving() as other:
        for site in (one, other):
            site.pages |= {"/x": redirect("/y"), "/y": html()}
        listed = [Link(f"{site.url}/x", origin=LISTED) for site in (one, other)]
        frontier = FileFrontier(listed)
        crawl(frontier, list_options(follow=False, site=f"{one.url}/x", headers={"X-Key": "secret"}), describe)
        assert [visit.state for visit in frontier.visits] == [SCORED, SCORED]
        assert all("x-key" in asked.headers for asked in one.log)
        assert not any("x-key" in asked.headers for asked in other.log)


def test_a_page_that_names_many_addresses_does_not_hide_others(site: TrapSite) -> None:
    site.pages["/"] = Reply(b"".join(b'<a href="/x?%d">' % n for n in range(300)) + b'<a href="/z">')
    site.pages |= {"/z": html(), "/x": html()}
    crawled = Crawled(f"{site.url}/")
    assert "/z" in crawled.paths(SCORED)
    assert len([p for p in crawled.paths(SCORED) if p.startswith("/x?")]) == 50


def test_headers_that_cannot_be_sent_are_refused_and_no_value_is_shown() -> None:
    for headers in ({"X Y": "1"}, {"X": "a\r\nY: secret"}, {"Accept-Encoding": "br"}, {"": "x"}):
        with pytest.raises(SteelyardError) as refused:
            CrawlOptions(headers=headers)
        assert "secret" not in str(refused.value), headers
    assert "secret" not in repr(CrawlOptions(headers={"Authorization": "secret"}))


def test_the_summary_names_every_limit_delay_and_sitemap() -> None:
    limits = tuple(Limit(kind, 1_000, 2_000, f"http://a/{n}") for n, kind in enumerate(KINDS))
    end = CrawlSummary(1, 2, limits, {"a": 60.0, "b": 0.5}, {"a": 3600.0}, (("http://a/s.xml", "is no sitemap"),))
    named = [("1,000", "2,000", limit.example) for limit in limits]
    named += [("a,", "60 s", "3,600 s"), ("b,", "0.5 s", ""), ("http://a/s.xml", "is no sitemap", "")]
    for note, parts in zip(end.list_notes(), named, strict=True):
        assert all(part in note for part in parts), note
    assert end.to_dict()["limits"][0] == {"kind": "pages", "most": 1_000, "left": 2_000, "example": "http://a/0"}


def test_every_option_of_a_crawl_is_read() -> None:
    files = [path for path in Path(visits.__file__).parent.glob("*.py") if path.name != "options.py"]
    nodes = [node for path in files for node in ast.walk(ast.parse(path.read_text("utf-8")))]
    read = {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute)
        and (node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")).strip("_")
        == "options"
    }
    assert {field.name for field in fields(CrawlOptions)} - read == set()
