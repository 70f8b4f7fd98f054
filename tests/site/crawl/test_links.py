"""The links of a page are read once, in time that grows with the page and no faster."""

from __future__ import annotations

import pytest

from steelyard.site.crawl.links import MAX_CHARACTERS, MAX_LINKS, PageLinks, forbids_following, read_links
from tests.hostile.pages import within


def read(page: str) -> PageLinks:
    return read_links(page.encode(), None, "steelyard")


@pytest.mark.parametrize(
    ("page", "hrefs"),
    [
        ('<a href="/a">x</a><A HREF=/b class=y>', ["/a", "/b"]),
        ("<a\nclass='>' href='/a'>", ["/a"]),
        ("<a/href='/a'/>", ["/a"]),
        ('<a href = "/a?x=1&amp;y=2&lt">', ["/a?x=1&y=2<"]),
        ('<area href="/a"><link href="/b"><abbr href="/c"><a-b href="/d">', ["/a"]),
        ('<a href="/a" href="/b">', ["/a"]),
        ('<a href="/a"><a href="/a">', ["/a"]),
        ('<!-- <a href="/no"> --><a href="/a">', ["/a"]),
        ('<!--><a href="/a">', ["/a"]),
        ('<script>"<a href=/no>"</script><style><a href=/no></style><a href="/a">', ["/a"]),
        ("<title><a href=/no></title><textarea><a href=/no></TEXTAREA ><a href=/a>", ["/a"]),
        ("<noscript><a href=/a></noscript>", ["/a"]),
        ('<a rel="nofollow ugc" href="/no"><a rel="NOFOLLOW" href=/no><a rel=follow href=/a>', ["/a"]),
        ('<a href="">x</a><a href>y</a><a name="z">', []),
        ('<a href="/a', []),
        ('<a title="unclosed <a href="/no">', []),
    ],
)
def test_links_are_read_as_a_browser_reads_them(page: str, hrefs: list[str]) -> None:
    assert list(read(page).hrefs) == hrefs


def test_the_head_says_where_links_lead_and_whether_to_follow_them() -> None:
    found = read('<base href="/x/"><base href="/y/"><meta name=ROBOTS content="noindex, NoFollow">')
    assert (found.base, found.nofollow) == ("/x/", True)
    assert read('<meta name="steelyard" content="none">').nofollow
    assert not read('<meta name="otherbot" content="nofollow"><meta name=robots content=noindex>').nofollow


def test_a_refresh_has_seconds_and_a_target() -> None:
    for content, refresh in {
        "0; url=/x": (0, "/x"), "5;URL='/x'": (5, "/x"), "3.5, /x": (3, "/x"), "30": None, "soon; url=/x": None,
    }.items():  # fmt: skip
        tag = f'<meta http-equiv="Refresh" content="{content}">'
        assert read(tag).refresh == refresh, content
        assert read(f"<noscript>{tag}</noscript>").refresh is None, content


def test_an_x_robots_tag_may_forbid_following() -> None:
    for header in (
        "nofollow", "noindex, nofollow", "none", "steelyard: nofollow", "*: nofollow",
        "otherbot: noindex, steelyard: none", "unavailable_after: 25 Jun 2030 15:00:00 PST, nofollow",
    ):  # fmt: skip
        assert forbids_following(header, "steelyard"), header
    for header in ("otherbot: nofollow", "noindex", ""):
        assert not forbids_following(header, "steelyard"), header


def test_links_are_decoded_with_the_charset_of_the_page() -> None:
    for body, charset, href in (
        ("<a href=/é>".encode("latin-1"), "iso-8859-1", "/é"),
        ("<meta charset=windows-1252><a href=/é>".encode("latin-1"), None, "/é"),
        ("<a href=/é>".encode(), None, "/é"),
        ("<a href=/é>".encode("utf-16"), None, "/é"),
        (b"<a href=/x>", "rot13", "/x"),
        (b"<a href=/x>", "no-such-charset", "/x"),
        (b"<a href=/x\xff>", "utf-8", "/x\ufffd"),
    ):
        assert list(read_links(body, charset, "steelyard").hrefs) == [href], (body, charset)


def test_the_links_of_a_page_have_a_limited_number_and_length() -> None:
    found = read("".join(f"<a href=/{n}>" for n in range(MAX_LINKS + 1)))
    assert (len(found.hrefs), found.is_cut) == (MAX_LINKS, True)
    assert not read("<a href=/x>" * (MAX_LINKS + 1)).is_cut
    found = read("".join(f"<a href=/{n}{'x' * 5_000}>" for n in range(400)) + "<a href=/y>")
    assert sum(map(len, found.hrefs)) <= MAX_CHARACTERS
    assert "/y" in found.hrefs
    assert (found.is_too_long, found.is_cut) == (True, False)
    assert not read(f"<a href=/{'x' * 5_000}>" * 400).is_too_long


HOSTILE = ("<", "<a", "<a ", '<a href="', "<a href='<a href=\"", "<!--", "<!-- --", "<script>", "<script", "<a b ",
           "<a =", "<a/", "<a '", "<title>", "<style></styl", "<a href=x y=\"'", "<meta content=\"", "<a b=c", "</a ",
           "<a \" ' ",
           "<a &amp", "<iframe><!--", "</script", "<xmp><title>")  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_pages_are_read_in_linear_time(piece: str) -> None:
    with within(10):
        read(piece * (2_000_000 // len(piece)))
        read("<a " + piece * (1_000_000 // len(piece)))
