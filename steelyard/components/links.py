"""Links to other sites: a reader does not see their addresses, but they are sources all the same."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from steelyard.components.base import Evidence
from steelyard.text.document import Document, Match
from steelyard.text.lines import Link


def address(url: str) -> str:
    """An address in the form it is compared in."""
    return url.strip().lower().rstrip("/")


def host(url: str) -> str:
    """The site an address leads to, without user and port; empty when the address is none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # a page may write anything behind a link
        return ""


def external(doc: Document, seen: Sequence[Match]) -> list[Link]:
    """Links with a web address that no match shows already, the first of each address."""
    if not doc.structure.links:
        return []
    known = {address(doc.words_of(m)) for m in seen}
    first: dict[str, Link] = {}
    for link in doc.structure.links:
        key = address(link.url)
        if key.startswith(("http://", "https://")) and host(key) and key not in known:
            first.setdefault(key, link)
    return list(first.values())


def sites(links: Sequence[Link]) -> list[Link]:
    """The first link to each site."""
    return list({host(link.url): link for link in reversed(links)}.values())[::-1]


def evidence(doc: Document, links: Sequence[Link], pattern: str) -> list[Evidence]:
    """Links as evidence, where they stand in the source."""
    return [Evidence(x.start, x.end, doc.line_at(x.start), pattern) for x in links]
