"""What a page declares about itself: its title, its dates and its own address."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_DATE_KEYS = ("datePublished", "dateModified")
_DATE_META = frozenset({"article:published_time", "article:modified_time"})
_ISO_DATE = re.compile(r"\s*([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T\s]|$)")
# Where JSON-LD describes the page itself; dates elsewhere belong to comments and related articles.
_JSON_LD_PAGE = ("@graph", "mainEntity", "mainEntityOfPage")
_JSON_LD_LENGTH = 1_000_000
_DATE_LENGTH = len("2026-07-01T")


def read_titles(tree: HtmlElement) -> list[str]:
    """Return the page's declared titles, the preferred one first."""
    titles = [element.text_content() for element in tree.xpath("//title[not(ancestor::svg)]")]
    return titles + [content for name, content in _read_meta(tree) if name == "og:title"]


def read_dates(tree: HtmlElement) -> tuple[date, ...]:
    """Return the labelled dates, sorted and unique."""
    return tuple(sorted({day for value in _find_date_labels(tree) if (day := _parse_date(value))}))


def read_url(tree: HtmlElement) -> str | None:
    """Return the page's own address from its canonical link, else from og:url."""
    addresses = [*tree.xpath("//link[@rel='canonical']/@href"), *(c for n, c in _read_meta(tree) if n == "og:url")]
    return next((a for a in map(str.strip, addresses) if a.lower().startswith(("http://", "https://"))), None)


def _read_meta(tree: HtmlElement) -> Iterator[tuple[str, str]]:
    for element in tree.iter("meta"):
        name = element.get("property") or element.get("name") or ""
        yield name.strip().lower(), element.get("content", "")


def _find_date_labels(tree: HtmlElement) -> Iterator[str]:
    yield from (content for name, content in _read_meta(tree) if name in _DATE_META)
    for element in tree.xpath("//*[@itemprop]"):
        if not set(_DATE_KEYS).isdisjoint(element.get("itemprop", "").split()):
            yield element.get("content") or element.get("datetime") or _read_beginning(element)
    yield from (element.get("datetime", "") for element in tree.iter("time"))
    for script in tree.iter("script"):
        kind = script.get("type", "").partition(";")[0].strip().lower()
        if kind == "application/ld+json" and len(script.text or "") <= _JSON_LD_LENGTH:
            yield from _find_json_ld_dates(script.text or "")


def _read_beginning(element: HtmlElement) -> str:
    """Return the beginning of an element's text, as much as can be a date; the whole can be that of the page."""
    beginning = ""
    for piece in element.itertext():
        beginning = (beginning + piece).lstrip()
        if len(beginning) >= _DATE_LENGTH:
            break
    return beginning[:_DATE_LENGTH]


def _find_json_ld_dates(text: str) -> Iterator[str]:
    try:
        # strict=False: real pages carry raw line breaks inside JSON strings.
        pending: list[Any] = [json.loads(text, strict=False)]
    except (ValueError, RecursionError):
        return
    while pending:
        node = pending.pop()
        if isinstance(node, list):
            pending.extend(node)
        elif isinstance(node, dict):
            yield from (node[key] for key in _DATE_KEYS if isinstance(node.get(key), str))
            pending.extend(node[key] for key in _JSON_LD_PAGE if key in node)


def _parse_date(value: str) -> date | None:
    match = _ISO_DATE.match(value)
    try:
        return date.fromisoformat(match[1]) if match else None
    except ValueError:
        return None
