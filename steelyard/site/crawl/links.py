"""The links of an HTML page, read in one pass whatever the page is made of."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field

from steelyard.site.access.directives import read_directives
from steelyard.text.tags import decode_references

MAX_LINKS = 5_000
MAX_CHARACTERS = 1_000_000  # of the addresses as written; of 59 real pages the one with most has 24,000
_MAX_ATTRIBUTES = 200
_MAX_VALUE = 8_000

_RAW = ("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes")  # they hold text, not tags
_TAG = re.compile(rf"<(?:(!--)|(/?)(a|area|base|meta|noscript|{'|'.join(_RAW)})(?=[\s/>]))", re.IGNORECASE)
_RAW_ENDS = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in _RAW}
# Possessive repeats: a quote without its partner is looked for once, not once per attribute.
_ATTRIBUTE = re.compile(
    r"""[\s/]*+(?:(?P<end>>)|(?P<name>[^\s/>][^\s/>=]*+)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>"'][^\s>]*+)))?+)"""
)
_REFRESH = re.compile(r"""\s*(\d{1,4})(?:\.\d*)?\s*[;,\s]\s*(?:url\s*=\s*)?["']?([^"']+)""", re.IGNORECASE)
_META_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}["']?([A-Za-z0-9_.:-]{1,40})""", re.IGNORECASE)
# Not every codec of Python is a charset, and some take long.
_CHARSET = re.compile(
    r"(utf|ucs|iso|us-ascii|ascii|latin|windows|cp|koi|gb|big5|shift|sjis|euc|mac|x-sjis|tis)", re.IGNORECASE
)


@dataclass(slots=True)
class PageLinks:
    """What a page says about where to go.

    Attributes:
        hrefs: The addresses of its links as written, without those marked nofollow, each once.
        base: What they are relative to, where the page says so.
        nofollow: A robots meta tag asks not to follow the links.
        refresh: Seconds after which the page leads elsewhere, and where.
        is_cut: The page has more links than are read.
        is_too_long: The addresses have more characters than are read.
    """

    hrefs: dict[str, None] = field(default_factory=dict)
    base: str | None = None
    nofollow: bool = False
    refresh: tuple[int, str] | None = None
    is_cut: bool = False
    is_too_long: bool = False
    characters: int = 0


def read_links(body: bytes, charset: str | None, product: str) -> PageLinks:
    """Return the links of an HTML page.

    Args:
        body: The page.
        charset: What the header of its answer says.
        product: The first word of our user agent, for robots meta tags that name it.
    """
    text = _decode(body, charset)
    links = PageLinks()
    position, in_noscript = 0, False
    while (tag := _TAG.search(text, position)) is not None:
        if tag[1]:
            end = text.find("-->", tag.end() - 2)
            position = end + 3 if end >= 0 else len(text)
            continue
        name, closes = tag[3].lower(), bool(tag[2])
        if name == "noscript":
            in_noscript = not closes
        attributes, position = read_attributes(text, tag.end())
        if closes:
            continue
        if name in _RAW_ENDS:
            ending = _RAW_ENDS[name].search(text, position)
            position = ending.start() if ending else len(text)
        else:
            _add_tag(links, name, attributes, in_noscript=in_noscript, product=product)
    return links


def _add_tag(links: PageLinks, name: str, attributes: dict[str, str], *, in_noscript: bool, product: str) -> None:
    """Add the link, base, refresh or directive of one tag."""
    if name == "meta":
        kind, content = attributes.get("http-equiv", "").strip().lower(), attributes.get("content", "")
        if attributes.get("name", "").strip().lower() in ("robots", product):
            links.nofollow = links.nofollow or forbids_following(content, product)
        elif kind == "refresh" and links.refresh is None and not in_noscript:
            refresh = _REFRESH.match(content[:_MAX_VALUE])
            links.refresh = (int(refresh[1]), refresh[2].strip()) if refresh else None
        return
    href = attributes.get("href", "").strip()
    if not href or len(href) > _MAX_VALUE:
        return
    if name == "base":
        links.base = links.base or href
    elif "nofollow" not in attributes.get("rel", "").lower().split():
        if href in links.hrefs:
            return
        if len(links.hrefs) >= MAX_LINKS:
            links.is_cut = True
        elif links.characters + len(href) > MAX_CHARACTERS:
            links.is_too_long = True
        else:
            links.hrefs[href] = None
            links.characters += len(href)


def forbids_following(directives: str, product: str) -> bool:
    """Return whether the value of a robots meta tag or of an X-Robots-Tag header asks us not to follow links."""
    return any(
        directive.name in ("nofollow", "none") and directive.agent in ("", product)
        for directive in read_directives(directives)
    )


def read_attributes(text: str, position: int) -> tuple[dict[str, str], int]:
    """Return the attributes of the tag whose name ends at `position`, and where the tag ends."""
    attributes: dict[str, str] = {}
    for _ in range(_MAX_ATTRIBUTES):
        match = _ATTRIBUTE.match(text, position)
        if match is None:
            return attributes, len(text)
        position = match.end()
        if match["end"]:
            return attributes, position
        value = match[3] or match[4] or match[5] or ""
        attributes.setdefault(match["name"].lower(), decode_references(value) if len(value) <= _MAX_VALUE else "")
    end = text.find(">", position)
    return attributes, end + 1 if end >= 0 else len(text)


def _decode(body: bytes, charset: str | None) -> str:
    """Decode a page as far as its links need it; the text that is scored is decoded with more care."""
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return body.decode("utf-16", "replace")
    named = _META_CHARSET.search(body[:4_096])
    for name in (charset, named[1].decode("ascii") if named else None):
        if name and _CHARSET.match(name):
            try:
                return body.decode(name, "replace")
            except (LookupError, ValueError):
                continue
    return body.decode("utf-8", "replace")
