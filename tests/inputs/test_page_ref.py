"""A page's bytes become text or are refused, and HTML becomes Markdown."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import pytest

from steelyard.errors import PageUnreadable
from steelyard.inputs.page_ref import PageRef, read_bytes
from steelyard.pipeline import Page
from steelyard.pipeline import read_page as read
from steelyard.text.decoding import decode

PROSE = "Le marégraphe mesure la marée « à l'œil » depuis 1871. "


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_utf_8_and_marked_utf_16_are_text(encoding: str):
    assert decode(PROSE.encode(encoding), "page.md") == PROSE


@pytest.mark.parametrize(("mark", "encoding"), [(b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")])
def test_both_orders_of_utf_16_are_read_by_their_mark(mark: bytes, encoding: str):
    assert decode(mark + PROSE.encode(encoding), "page.md") == PROSE


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"])
def test_nothing_is_an_empty_text(data: bytes):
    assert decode(data, "page.md") == ""


def test_a_few_bad_bytes_are_replaced_one_by_one_and_the_page_is_read():
    assert decode(b"caf\xe9 \xff tide", "page.md") == "caf\ufffd \ufffd tide"


def test_line_ends_and_controls_are_kept_as_they_are():
    assert decode(b"a\r\nb\rc\n\x0c\x1b[31m", "page.md") == "a\r\nb\rc\n\x0c\x1b[31m"


def test_a_single_nul_in_a_long_text_is_kept():
    assert decode(b"x" * 200 + b"\0", "page.md").endswith("\0")


@pytest.mark.parametrize(
    "data",
    [
        bytes(range(256)) * 4,
        b"\x89PNG\r\n\x1a\n" + b"\0" * 40,
        b"\0" * 10,
        (PROSE * 20).encode("utf-16-le"),
        (PROSE * 20).encode("latin-1", "replace").replace(b"?", b"\xe9") * 3,
        b"\xff\xfe\x00",
        b"\xff\xfe\x00\xd8",
    ],
    ids=["every byte", "PNG", "NULs", "UTF-16 without its mark", "Latin-1", "half a character", "half a pair"],
)
def test_what_is_not_text_is_refused_with_its_name_and_a_way_out(data: bytes):
    with pytest.raises(PageUnreadable, match=r"page\.md: not text \(.+\); give it as UTF-8"):
        decode(data, "page.md")


def test_the_bytes_of_a_file_are_read_up_to_the_limit(tmp_path: Path):
    path = tmp_path / "page.md"
    path.write_bytes(b"x" * 10)
    assert read_bytes(str(path), 10) == b"x" * 10
    with pytest.raises(PageUnreadable, match="10 bytes is over the limit of 9"):
        read_bytes(str(path), 9)


def test_what_is_no_file_is_refused(tmp_path: Path):
    with pytest.raises(PageUnreadable, match="no such file"):
        read_bytes(str(tmp_path / "nothing.md"), 10)
    with pytest.raises(PageUnreadable, match="name one file in it"):
        read_bytes(str(tmp_path), 10)
    with pytest.raises(PageUnreadable, match="not a regular file"):
        read_bytes(os.devnull, 10)
    (tmp_path / "loop.md").symlink_to("loop.md")
    with pytest.raises(PageUnreadable, match=r"loop\.md"):
        read_bytes(str(tmp_path / "loop.md"), 10)
    with pytest.raises(PageUnreadable):
        read_bytes(str(tmp_path / ("x" * 5_000)), 10)


def test_a_page_given_as_text_is_read_as_it_is():
    assert read(PageRef("-", text="# Tide", title="T")) == Page("-", "# Tide", "T")
    with pytest.raises(PageUnreadable, match="over the limit"):
        read(PageRef("-", text="# Tide"), max_bytes=5)


def test_a_page_with_an_error_is_that_error():
    with pytest.raises(PageUnreadable, match="no such thing"):
        read(PageRef("x", error="no such thing"))


LINE = "<p>The keeper of the gauge wrote the level of the tide into the ledger, which is kept in the town hall.</p>"
HTML = f"""<!doctype html>
<html lang="en"><head><title>The tide</title><meta property="article:published_time" content="2026-01-02"></head>
<body><article><h1>The tide of a century</h1>{LINE * 5}<p hidden>Nobody reads this.</p></article></body></html>
"""


@pytest.mark.parametrize("name", ["page.html", "page.HTM", "page.xhtml", "page.txt"])
def test_html_becomes_markdown_with_its_title_and_dates(name: str, tmp_path: Path):
    pytest.importorskip("trafilatura", reason="HTML needs the extra `html`")
    path = tmp_path / name
    path.write_text(HTML)
    page = read(PageRef(name, path=str(path)))
    assert page.extractor
    assert page.title == "The tide"
    assert page.dates == (date(2026, 1, 2),)
    assert "The keeper of the gauge" in page.text
    assert "<p>" not in page.text
    assert "Nobody reads this" not in page.text


def test_the_title_of_a_record_comes_before_that_of_its_html():
    pytest.importorskip("trafilatura", reason="HTML needs the extra `html`")
    assert read(PageRef("x", text=HTML, title="Mine")).title == "Mine"


def test_markdown_that_shows_html_is_not_html(tmp_path: Path):
    path = tmp_path / "page.md"
    path.write_text("# Pages\n\n```html\n<!doctype html><html></html>\n```\n")
    assert not read(PageRef("page.md", path=str(path))).extractor
