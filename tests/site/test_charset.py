"""The encoding of an answer, whatever the server and the page say."""

from __future__ import annotations

import pytest

from steelyard.errors import PageUnreadable
from steelyard.site.charset import decode_answer

TEXT = "<p>Der Pegel fiel um 3,5 m – „so tief wie nie“, sagte Müller in Köln über die Brücke.</p>"


@pytest.mark.parametrize(
    ("encoding", "header"),
    [
        ("utf-8", None),
        ("utf-8", "utf-8"),
        ("utf-8", "iso-8859-1"),  # the header is wrong, and valid UTF-8 says so
        ("utf-8-sig", "windows-1252"),
        ("utf-16", None),
        ("utf-16-le", "utf-16-le"),
        ("cp1252", "windows-1252"),
        ("cp1252", "ISO-8859-1"),  # which browsers read as windows-1252
        ("cp1252", None),
    ],
)
def test_a_page_is_decoded(encoding: str, header: str | None) -> None:
    assert decode_answer(TEXT.encode(encoding), "page", header) == TEXT


def test_the_page_itself_names_its_encoding() -> None:
    page = f'<html><head><meta charset="koi8-r"></head><body>{"Уровень воды в реке упал. " * 5}</body></html>'
    assert decode_answer(page.encode("koi8-r"), "page") == page
    assert decode_answer(page.encode("koi8-r"), "page", "no-such-encoding") == page


def test_an_encoding_in_ascii_is_believed() -> None:
    page = "<p>水位が下がった</p>"
    assert decode_answer(page.encode("iso-2022-jp"), "page", "iso-2022-jp") == page


@pytest.mark.parametrize("name", ["zip", "rot13", "unicode_escape", "utf-7", "idna", "punycode", "x" * 5_000, "\0", ""])
def test_what_is_no_encoding_of_text_is_ignored(name: str) -> None:
    assert decode_answer(b"<p>plain \\u0041 +AGE-</p>", "page", name) == "<p>plain \\u0041 +AGE-</p>"


def test_binary_data_are_no_text() -> None:
    with pytest.raises(PageUnreadable, match="NUL"):
        decode_answer(bytes(range(256)) * 20 + b"\0" * 200, "page", "utf-8")


def test_an_empty_answer_is_an_empty_text() -> None:
    assert decode_answer(b"", "page") == ""


@pytest.mark.parametrize("name", ["utf-16", "utf-16le", "utf-32"])
def test_a_page_that_can_name_utf_16_is_not_in_it(name: str) -> None:
    page = f'<html><head><meta charset="{name}"></head><body>plain</body></html>'
    assert decode_answer(page.encode(), "page") == page
    assert decode_answer(page.encode(), "page", name) == page
