"""Sitemaps are read without expanding anything."""

from __future__ import annotations

import pytest

from steelyard.site.crawl.sitemaps import Unreadable, parse_sitemap
from tests.hostile.pages import within


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"<urlset><url><loc> http://a/x </loc></url></urlset>", ["http://a/x "]),
        (b"<?xml version='1.0'?><urlset xmlns='y'><url><loc>http://a/?b=1&amp;c=2</loc></url>", ["http://a/?b=1&c=2"]),
        (b"<urlset><url><loc><![CDATA[http://a/x]]></loc></url>", ["http://a/x"]),
        (b"<urlset><url><loc>http://a/</loc><image:loc>http://a/i.png</image:loc></url>", ["http://a/"]),
        (b"<urlset></urlset>", []),
        (b"<urlset><url><loc>http://a/&xxe;</loc></url></urlset>", ["http://a/&xxe;"]),
        (b"\xef\xbb\xbfhttp://a/x\r\n\r\nhttp://a/y", ["http://a/x", "http://a/y"]),
        ("<urlset><url><loc>http://a/x</loc></url>".encode("utf-16"), ["http://a/x"]),
    ],
)
def test_addresses_are_found(data: bytes, found: list[str]) -> None:
    is_index, locations = parse_sitemap(data)
    assert (is_index, list(locations)) == (False, found)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"<html><loc>http://a/</loc></html>", b"\x89PNG", b"{}",
        b"<!DOCTYPE x [<!ENTITY a 'b'>]><urlset><url><loc>http://a/&a;</loc></url></urlset>",
    ],
)  # fmt: skip
def test_what_is_no_sitemap_is_refused(data: bytes) -> None:
    with pytest.raises(Unreadable):
        parse_sitemap(data)


@pytest.mark.parametrize(
    "piece", [b"<loc>", b"<loc> ", b"<loc><![CDATA[", b"<loc>x", b"<", b"&amp;", b"<loc>x</loc>", b" "]
)
def test_hostile_sitemaps_are_read_in_linear_time(piece: bytes) -> None:
    with within(10):
        for _ in parse_sitemap(b"<urlset>" + piece * (5_000_000 // len(piece)))[1]:
            pass
