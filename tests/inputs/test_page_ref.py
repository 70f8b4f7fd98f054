"""A page's bytes become text or are refused, and HTML becomes Markdown."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import pytest

from steelyard.errors import InvalidFile, PageUnreadable
from steelyard.inputs.page_ref import PageRef, read_bytes, read_small_file
from steelyard.pipeline import Page
from steelyard.pipeline import read_page as read
from steelyard.text.dates import PageDates
from steelyard.text.decoding import decode

PROSE = "Le marégraphe mesure la marée « à l'œil » depuis 1871. "


# Bytes, and their text.
READ = {
    PROSE.encode("utf-8"): PROSE,
    PROSE.encode("utf-8-sig"): PROSE,
    PROSE.encode("utf-16"): PROSE,
    b"\xff\xfe" + PROSE.encode("utf-16-le"): PROSE,
    b"\xfe\xff" + PROSE.encode("utf-16-be"): PROSE,
    **dict.fromkeys((b"", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"), ""),
    b"caf\xe9 \xff tide": "caf\ufffd \ufffd tide",  # a few bad bytes are replaced one by one
    b"a\r\nb\rc\n\x0c\x1b[31m": "a\r\nb\rc\n\x0c\x1b[31m",  # line ends and controls stay
    b"x" * 200 + b"\0": "x" * 200 + "\0",
}
REFUSED = {
    "every byte": bytes(range(256)) * 4,
    "PNG": b"\x89PNG\r\n\x1a\n" + b"\0" * 40,
    "NULs": b"\0" * 10,
    "UTF-16 without its mark": (PROSE * 20).encode("utf-16-le"),
    "Latin-1": (PROSE * 20).encode("latin-1", "replace").replace(b"?", b"\xe9") * 3,
    "half a character": b"\xff\xfe\x00",
    "half a pair": b"\xff\xfe\x00\xd8",
}


def test_bytes_are_text_in_utf_8_or_marked_utf_16_and_what_is_not_is_refused_with_its_name_and_a_way_out():
    for data, text in READ.items():
        assert decode(data, "page.md") == text, data
    for name, data in REFUSED.items():
        with pytest.raises(PageUnreadable, match=r"page\.md: not text \(.+\); give it as UTF-8"):
            pytest.fail(f"{name} was read as {decode(data, 'page.md')!r}")


def test_the_bytes_of_a_file_are_read_up_to_the_limit(tmp_path: Path):
    path = tmp_path / "page.md"
    path.write_bytes(b"x" * 10)
    assert read_bytes(str(path), 10) == b"x" * 10
    with pytest.raises(PageUnreadable, match="10 bytes is over the limit of 9"):
        read_bytes(str(path), 9)
    assert read_small_file(path, 10, "make it shorter") == b"x" * 10
    with pytest.raises(InvalidFile, match="is over 9 bytes; make it shorter"):
        read_small_file(path, 9, "make it shorter")
    with pytest.raises(PageUnreadable, match="name one file in it"):
        read_small_file(tmp_path, 9, "make it shorter")


def test_what_is_no_file_is_refused(tmp_path: Path):
    (tmp_path / "loop.md").symlink_to("loop.md")
    for path, message in (
        (tmp_path / "nothing.md", "no such file"),
        (tmp_path, "name one file in it"),
        (os.devnull, "not a regular file"),
        (tmp_path / "loop.md", r"loop\.md"),
        (tmp_path / ("x" * 5_000), "xxx"),
    ):
        with pytest.raises(PageUnreadable, match=message):
            read_bytes(str(path), 10)


def test_a_page_given_as_text_is_read_as_it_is_and_one_with_an_error_is_that_error():
    assert read(PageRef("-", text="# Tide", title="T")) == Page("-", "# Tide", "T")
    assert [PageRef.from_text(name, "# Tide").html for name in ("page.md", "page.html")] == [False, True]
    with pytest.raises(PageUnreadable, match="over the limit"):
        read(PageRef("-", text="# Tide"), max_bytes=5)
    with pytest.raises(PageUnreadable, match="no such thing"):
        read(PageRef("x", error="no such thing"))


LINE = "<p>The keeper of the gauge wrote the level of the tide into the ledger, which is kept in the town hall.</p>"
HTML = f"""<!doctype html>
<html lang="en"><head><title>The tide</title><meta property="article:published_time" content="2026-01-02"></head>
<body><article><h1>The tide of a century</h1>{LINE * 5}<p hidden>Nobody reads this.</p></article></body></html>
"""


def test_html_becomes_markdown_with_its_title_and_dates(tmp_path: Path):
    pytest.importorskip("trafilatura", reason="HTML needs the extra `html`")
    for name in ("page.html", "page.HTM", "page.xhtml", "page.txt"):
        path = tmp_path / name
        path.write_text(HTML)
        page = read(PageRef(name, path=str(path)))
        assert page.extractor, name
        assert (page.title, page.dates) == ("The tide", PageDates(date(2026, 1, 2), None, "meta")), name
        assert "The keeper of the gauge" in page.text, name
        assert "<p>" not in page.text, name
        assert "Nobody reads this" not in page.text, name
    assert read(PageRef("x", text=HTML, title="Mine")).title == "Mine"  # that of a record comes first


def test_markdown_that_shows_html_is_not_html(tmp_path: Path):
    path = tmp_path / "page.md"
    path.write_text("# Pages\n\n```html\n<!doctype html><html></html>\n```\n")
    assert not read(PageRef("page.md", path=str(path))).extractor
