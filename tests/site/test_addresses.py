"""Addresses have one spelling, and a site has one name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.site.addresses import MAX_ADDRESS, name_site, normalise, same_site
from steelyard.site.crawl.links import MAX_CHARACTERS, MAX_LINKS
from tests.hostile.pages import within

BASE = "https://example.org/a/b/c.html"
PIECES = (
    *"http:// https:// // a.example [::1] [ ] : 80 99999 @ / .. ? & = # %41 % é \0 \ud800 xn-- ٣".split(" "),
    " ", ";jsessionid=1", "utm_source=x", "a" * 300,
)  # fmt: skip


@pytest.mark.parametrize(
    ("written", "known"),
    [
        ("HTTP://Example.ORG", "http://example.org/"),
        ("https://example.org:443/x", "https://example.org/x"),
        ("http://example.org:443/x", "http://example.org:443/x"),
        ("http://example.org./x", "http://example.org/x"),
        ("http://user:password@example.org/x", "http://example.org/x"),
        ("http://example.org/x#part", "http://example.org/x"),
        ("http://example.org/a/./b/../c/..", "http://example.org/a/"),
        ("http://example.org/../../x", "http://example.org/x"),
        ("http://example.org/%2e%2E/x", "http://example.org/x"),
        ("http://example.org/%7euser/a%2fb%c3%a9", "http://example.org/~user/a%2Fb%C3%A9"),
        ("http://example.org/é ü?q=ä b", "http://example.org/%C3%A9%20%C3%BC?q=%C3%A4%20b"),
        ("http://example.org/100%", "http://example.org/100%25"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://example.org/x?", "http://example.org/x"),
        ("http://example.org/x?b=2&a=1&&c=", "http://example.org/x?b=2&a=1&c="),
        ("http://example.org/x?PHPSESSID=1&b=2&utm_source=z&fbclid=3&sid=4", "http://example.org/x?b=2"),
        ("http://example.org/x;jsessionid=AB12?gclid=1", "http://example.org/x"),
        ("  http://exam\nple.org/a\tb ", "http://example.org/ab"),
        ("http:\\\\example.org\\x?a\\b", "http://example.org/x?a%5Cb"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://0177.0.0.01/", "http://127.0.0.1/"),
        ("http://１２７.0.0.1/", "http://127.0.0.1/"),
        ("http://[::FFFF:127.0.0.1]:80/", "http://[::ffff:7f00:1]/"),
        ("../x?y#z", "https://example.org/a/x?y"),
        ("//other.example/x", "https://other.example/x"),
        ("?q=1", "https://example.org/a/b/c.html?q=1"),
        ("#part", "https://example.org/a/b/c.html"),
    ],
)
def test_an_address_has_one_spelling(written: str, known: str) -> None:
    assert normalise(written, BASE) == known
    assert normalise(known) == known


@pytest.mark.parametrize(
    "written",
    [
        "", " ", "mailto:a@example.org", "javascript:alert(1)", "data:text/html,x", "ftp://example.org/", "file:///etc/x",
        "http://", "http:///x", "http://exa mple.org/", "http://a..b/", "http://example.org:0/",
        "http://example.org:99999/",
        "http://example.org:x/", "http://[::1/", "http://[fe80::1%25eth0]/", "http://1.2.3.4.5/", "http://a.0x/",
        "http://-/",
        "http://ex%41mple.org/", f"http://{'a' * 64}ü.example/", f"http://{'a.' * 200}b/", "http://\ud800.example/",
        "/\ud800",
        "http://example.org/" + "x" * MAX_ADDRESS,
    ],
)  # fmt: skip
def test_what_cannot_be_fetched_is_none(written: str) -> None:
    assert normalise(written, BASE) is None


def test_a_redirect_may_keep_its_session() -> None:
    assert normalise("/x?sid=1", BASE, keep_session=True) == "https://example.org/x?sid=1"


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=9), max_size=12).map("".join))
def test_normalising_twice_changes_nothing(text: str) -> None:
    for written in (text, f"http://example.org/{text}", f"http://example.org/?{text}", f"http://{text}/"):
        for base in (None, BASE):
            once = normalise(written, base)
            if once is not None:
                assert normalise(once) == once
                assert once.isascii()
                assert once.startswith(("http://", "https://"))
                assert same_site(once, once)
                assert name_site(once)


def test_www_and_the_scheme_do_not_make_another_site() -> None:
    for url, site in (
        ("http://www.example.org/x", "https://example.org/"),
        ("https://example.org/x", "www.example.org"),
        ("https://example.org/x", "example.org"),
        ("http://127.0.0.1:8000/x", "127.0.0.1:8000"),
    ):
        assert same_site(url, site), (url, site)
    for url, site in (
        ("http://sub.example.org/", "example.org"),
        ("http://example.org.evil.example/", "example.org"),
        ("http://example.org@evil.example/", "example.org"),
        ("http://127.0.0.1:8001/x", "http://127.0.0.1:8000/"),
        ("http://localhost:8000/x", "http://127.0.0.1:8000/"),
        ("mailto:x", ""),
    ):
        assert not same_site(url, site), (url, site)


def test_a_site_has_one_name() -> None:
    for url, name in {
        "https://www.Example.org/x": "example.org", "http://127.0.0.1:8000/x": "127.0.0.1:8000",
        "localhost:8000": "localhost:8000", "http://www.localhost/": "www.localhost",
        "http://[::1]:8000/": "[::1]:8000", "mailto:x": "",
    }.items():  # fmt: skip
        assert name_site(url) == name, url


def test_long_addresses_take_no_long_time() -> None:
    with within(5):
        for piece in ("../", "%", "a=b&", ";sid=", "\\", "é", "xn--", "."):
            normalise(piece * 1_000_000, BASE)
            normalise("http://example.org/" + (piece * 8_000)[:7_900])
            normalise("http://" + (piece * 8_000)[:7_900])


@pytest.mark.parametrize(
    "written",
    ["é" * 7_900, "/é" * 3_900, "%41" * 2_600, "/../" * 1_900, "?" + "a&" * 3_900, ";sid=1" * 1_300]
    + [f"http://{host}/" for host in ("é" * 240, "漢字仮名交" * 48, "é" * 63, ".".join(["é" * 60] * 4))],
)
def test_no_address_takes_long_to_normalise(written: str) -> None:
    with within(30):  # as many as the links of one page may be; the slowest took a minute, and takes two seconds
        for _ in range(min(MAX_LINKS, MAX_CHARACTERS // len(written))):
            normalise(written, "http://a.example/")
