"""The address that a page names as its own."""

from __future__ import annotations

from contextlib import suppress
from html.parser import HTMLParser

from steelyard.site.addresses import normalise

MAX_READ = 200_000  # characters: the link stands in the head


def read_canonical(html: str, url: str) -> str | None:
    """Return the canonical address of an HTML page, normalised, where it is another one than `url`."""
    reader = _Reader()
    with suppress(AssertionError):  # which Python's parser raises on a declaration it cannot read
        for start in range(0, min(len(html), MAX_READ), 8_192):
            reader.feed(html[start : start + 8_192])
            if reader.is_over:
                break
    named = normalise(reader.found, url) if reader.found else None
    return named if named != url else None


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: str | None = None
        self.is_over = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "body":
            self.is_over = True
        if tag == "link" and not self.is_over and self.found is None:
            given = {name: value or "" for name, value in attrs[:50]}
            if "canonical" in given.get("rel", "").lower().split():
                self.found = given.get("href", "").strip() or None
