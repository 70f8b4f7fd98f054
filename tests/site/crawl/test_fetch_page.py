"""One page is fetched by the code of the crawl, and nothing a server does raises an error."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from steelyard.site.crawl.fetch import fetch_page
from steelyard.site.model import EXCLUDED, FAILED, NOT_MEASURED, Fetched
from tests.site.crawl.crawling import list_options
from tests.site.trap_site import Reply, TrapSite, html, redirect

SECRET = "Bearer 5f3a"


REASONS = {  # those of the other traps are in test_trap_site.py
    "/allowed.html": (None, ""),
    "/drip-body": (FAILED, "timed out after 1 s"),
    "/huge": (NOT_MEASURED, "is larger than 10,000,000 bytes"),
    "/private-redirect": (
        EXCLUDED, "redirects to http://127.0.0.2:1/: 127.0.0.2:1 is a private address, and only those that were typed "
        "are visited",
    ),
    "/silent": (FAILED, "the connection broke off"),
    "/not-http": (FAILED, "the answer is not valid HTTP"),
    "/short": (FAILED, "the connection broke off"),
    "/many-headers": (FAILED, "has over 200 headers"),
    "/empty-redirect": (FAILED, "redirects to something that is no web address"),
    "/script-redirect": (FAILED, "redirects to something that is no web address"),
    "/odd-status": (FAILED, "answered with status 699"),
}  # fmt: skip


def test_every_trap_is_a_reason(trap_site: TrapSite) -> None:
    trap_site.pages |= {
        "/silent": lambda _handler: None,
        "/not-http": lambda handler: handler.write_raw(b"220 mail.example ESMTP\r\n\r\n"),
        "/short": lambda handler: handler.write_raw(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello"),
        "/many-headers": Reply(b"x", headers={f"X-{n}": "y" for n in range(201)}),
        "/empty-redirect": Reply(status=302, headers={}),
        "/script-redirect": redirect("javascript:alert(1)"),
        "/odd-status": Reply(b"x", 699, {}),
    }
    for path, expected in REASONS.items():
        fetched = fetch_page(f"{trap_site.url}{path}", list_options(timeout=1.0, retries=0))
        assert (fetched.outcome, fetched.reason) == expected, path
        assert bool(fetched.body) is (expected[0] is None), path
    assert not trap_site.asked("/robots.txt"), "a person asked for these pages"


@pytest.mark.parametrize(
    ("head", "piece", "outcome", "reason"),
    [
        (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 100, FAILED, "sends over 131,072 bytes before its answer"),
        (
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
            b"1;" + b"x" * 9_000 + b"\r\n1\r\n",
            NOT_MEASURED,
            "is larger than 100,000 bytes",
        ),
    ],
)
def test_what_surrounds_a_body_is_counted_too(
    head: bytes, piece: bytes, outcome: str, reason: str, trap_site: TrapSite
) -> None:
    sent = 0

    def flood(handler: Any) -> None:
        nonlocal sent
        handler.write_raw(head)
        while sent < 50_000_000:
            handler.write_raw(piece)
            sent += len(piece)

    trap_site.pages["/flood"] = flood
    fetched = fetch_page(f"{trap_site.url}/flood", list_options(timeout=30.0, retries=0, max_bytes=100_000))
    assert (fetched.outcome, fetched.reason) == (outcome, reason)
    assert sent < 50_000_000


def test_a_page_comes_with_what_its_header_says(trap_site: TrapSite) -> None:
    trap_site.pages["/x"] = Reply(b"\xe9", headers={"Content-Type": 'Text/HTML; a=b; Charset="ISO-8859-1"'})
    fetched = fetch_page(f"{trap_site.url}/x#part", list_options())
    assert (fetched.status, fetched.content_type, fetched.charset) == (200, "text/html", "ISO-8859-1")
    assert (fetched.url, fetched.body) == (f"{trap_site.url}/x", b"\xe9")


def test_redirects_are_followed(trap_site: TrapSite) -> None:
    trap_site.pages |= {"/a": redirect("b?sid=1"), "/b": html(text="there")}
    fetched = fetch_page(f"{trap_site.url}/a", list_options())
    assert (fetched.url, b"there" in fetched.body) == (f"{trap_site.url}/b", True)
    assert trap_site.asked("/b?sid=1"), "a redirect may need its session"


def test_secret_headers_reach_the_site_and_nobody_else() -> None:
    with TrapSite().serving() as site, TrapSite().serving() as other:
        site.pages |= {"/a": redirect("/b"), "/b": redirect(f"{other.url}/allowed.html")}
        options = list_options(headers={"Authorization": SECRET, "user-agent": "mine"})
        fetched = fetch_page(f"{site.url}/a", options)
        assert fetched.url == f"{other.url}/allowed.html"
        for path in ("/a", "/b"):
            (asked,) = site.asked(path)
            assert (asked.headers["authorization"], asked.headers["user-agent"]) == (SECRET, "mine")
        (asked,) = other.log
        assert "authorization" not in asked.headers
        assert SECRET not in repr((fetched, options))


def test_a_site_with_tls_gets_no_secret_in_the_clear(trap_site: TrapSite) -> None:
    options = list_options(headers={"Authorization": SECRET}, site=trap_site.url.replace("http:", "https:"))
    fetch_page(f"{trap_site.url}/allowed.html", options)
    assert "authorization" not in trap_site.log[0].headers


def test_what_is_no_address_is_a_reason() -> None:
    for url in ("", "mailto:a@b.example", "file:///etc/passwd", "http://", "page.html"):
        fetched = fetch_page(url)
        assert (fetched.outcome, fetched.body) == (FAILED, b""), url


def test_pages_can_be_fetched_from_several_threads_at_once(trap_site: TrapSite) -> None:
    found: list[Fetched] = []

    def fetch() -> None:
        for _ in range(3):
            found.append(fetch_page(f"{trap_site.url}/allowed.html", list_options()))

    threads = [threading.Thread(target=fetch) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [fetched.status for fetched in found] == [200] * 12


def test_the_whole_of_it_has_a_deadline(trap_site: TrapSite) -> None:
    trap_site.pages["/later"] = Reply(status=503, headers={"Retry-After": "60"})
    started = time.monotonic()
    fetched = fetch_page(f"{trap_site.url}/later", list_options(max_seconds=0.5))
    assert (fetched.outcome, fetched.reason) == (FAILED, "timed out after 0.5 s")
    assert time.monotonic() - started < 30


def test_a_failure_that_passes_is_tried_again(trap_site: TrapSite) -> None:
    assert fetch_page(f"{trap_site.url}/flaky", list_options(retries=2)).status == 200
    assert len(trap_site.asked("/flaky")) == 3
    fetched = fetch_page(f"{trap_site.url}/gone", list_options())
    assert fetched.status == 410
    assert len(trap_site.asked("/gone")) == 1
