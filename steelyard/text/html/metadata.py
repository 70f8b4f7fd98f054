"""What a page declares about itself: its title and its own address."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_DESCRIPTIONS = frozenset({"description", "og:description"})


def read_titles(tree: HtmlElement) -> list[str]:
    """Return the page's declared titles, the preferred one first."""
    titles = [element.text_content() for element in tree.xpath("//title[not(ancestor::svg)]")]
    return titles + [content for name, content in _read_meta(tree) if name == "og:title"]


def read_descriptions(tree: HtmlElement) -> list[str]:
    """Return the page's declared descriptions."""
    return [content for name, content in _read_meta(tree) if name in _DESCRIPTIONS]


def read_url(tree: HtmlElement) -> str | None:
    """Return the page's own address from its canonical link, else from og:url."""
    addresses = [*tree.xpath("//link[@rel='canonical']/@href"), *(c for n, c in _read_meta(tree) if n == "og:url")]
    return next((a for a in map(str.strip, addresses) if a.lower().startswith(("http://", "https://"))), None)


def _read_meta(tree: HtmlElement) -> Iterator[tuple[str, str]]:
    for element in tree.iter("meta"):
        name = element.get("property") or element.get("name") or ""
        yield name.strip().lower(), element.get("content", "")
