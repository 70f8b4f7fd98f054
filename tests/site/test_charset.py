"""The encoding of an answer, whatever the server and the page say."""

from __future__ import annotations

import pytest

from steelyard.errors import PageUnreadable
from steelyard.site.charset import decode_answer

TEXT = "<p>Der Pegel fiel um 3,5 m – „so tief wie nie“, sagte Müller in Köln über die Brücke.</p>"


def test_a_page_is_decoded() -> None:
    russian = f'<html><head><meta charset="koi8-r"></head><body>{"Уровень воды в реке упал. " * 5}</body></html>'
    for text, encoding, header in (
        (TEXT, "utf-8", None),
        (TEXT, "utf-8", "utf-8"),
        (TEXT, "utf-8", "iso-8859-1"),  # the header is wrong, and valid UTF-8 says so
        (TEXT, "utf-8-sig", "windows-1252"),
        (TEXT, "utf-16", None),
        (TEXT, "utf-16-le", "utf-16-le"),
        (TEXT, "cp1252", "windows-1252"),
        (TEXT, "cp1252", "ISO-8859-1"),  # which browsers read as windows-1252
        (TEXT, "cp1252", None),
        (russian, "koi8-r", None),  # the page itself names its encoding
        (russian, "koi8-r", "no-such-encoding"),
        ("<p>水位が下がった</p>", "iso-2022-jp", "iso-2022-jp"),  # in ASCII
        ("", "utf-8", None),
    ):
        assert decode_answer(text.encode(encoding), "page", header) == text, (encoding, header)


def test_what_is_no_encoding_of_text_is_ignored() -> None:
    for name in ("zip", "rot13", "unicode_escape", "utf-7", "idna", "punycode", "x" * 5_000, "\0", ""):
        assert decode_answer(b"<p>plain \\u0041 +AGE-</p>", "page", name) == "<p>plain \\u0041 +AGE-</p>", name


def test_binary_data_are_no_text() -> None:
    with pytest.raises(PageUnreadable, match="NUL"):
        decode_answer(bytes(range(256)) * 20 + b"\0" * 200, "page", "utf-8")


def test_a_page_that_can_name_utf_16_is_not_in_it() -> None:
    for name in ("utf-16", "utf-16le", "utf-32"):
        page = f'<html><head><meta charset="{name}"></head><body>plain</body></html>'
        assert decode_answer(page.encode(), "page") == page
        assert decode_answer(page.encode(), "page", name) == page
