"""HTML pages: the main content as Markdown, and the metadata that the page declares.

trafilatura chooses and writes the main content; docs/decisions/html-extractor.md holds the
measurements behind that choice. Around it this module parses once, takes out what no reader sees,
and reads metadata from the same tree. No clock, network, environment or state between pages.
"""

from __future__ import annotations

import html as entities
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from steelyard.errors import ExtractionFailed, MissingExtra
from steelyard.text.tags import style_hides

if TYPE_CHECKING:
    from types import ModuleType

    from lxml.html import HtmlElement

# How far looks_like_html reads; a page that opens with longer comments must be a .html file.
_OPENING_LENGTH = 4096
_DOCUMENT = re.compile(r"<(?:!doctype\s+html|html|head|body)(?=[\s>/]|$)", re.IGNORECASE)
# Server-side includes are sometimes printed above the doctype. No Markdown file opens with one of these,
# while README files do open with <p align="center"> and show HTML further down.
_HEAD_ELEMENT = re.compile(r"<(?:script|style|link|meta|title|base)(?=[\s>/])", re.IGNORECASE)

# lxml writes none of these, yet reads them from references such as &#1;. A lone surrogate stands for a byte
# that was not UTF-8.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")

# Never displayed. The annotations of a formula are its source text, hidden by every browser.
_SILENT = ("script", "style", "template", "noscript", "annotation", "annotation-xml")
_HIDDEN = "steelyard-hidden"
_LONG_TAG = re.compile(r"<[A-Za-z][^<>]{100000,}")
_MAX_ATTRIBUTES = 30_000
_MAYBE_HIDDEN = "//*[@hidden or @aria-hidden or @style]"
# Attributes that trafilatura would print as content: forum posts preloaded as JSON, formulas as text.
_PRINTED_ATTRIBUTES = ("data-preloaded", "alttext")

# A backslash that opens a formula, and how many items of a list get numbers: both cost trafilatura quadratic time.
_FORMULA = re.compile(r"\\(?=[(\[])")
_NUMBERED_ITEMS = 1000
# Names that XML does not know, such as Word's <o:p>: one in a list or quotation, and trafilatura finds nothing.
_TAG_NAME = re.compile(r"[a-z][a-z0-9_.-]*")
_TAG_SHOWN_AS_TEXT = re.compile(r"\\<(?=[A-Za-z/!?])")

_DATE_KEYS = ("datePublished", "dateModified")
_DATE_META = frozenset({"article:published_time", "article:modified_time"})
_ISO_DATE = re.compile(r"\s*([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T\s]|$)")
# Where JSON-LD describes the page itself; dates elsewhere belong to comments and related articles.
_JSON_LD_PAGE = ("@graph", "mainEntity", "mainEntityOfPage")
_JSON_LD_LENGTH = 1_000_000

# The largest of the 59 pages measured has 1,739 elements. Above the first bound trafilatura's second opinions
# (readability, jusText) are left out: jusText compares paragraphs pairwise, 14 s for 10,000 short ones. Above the
# second the page is refused: what is left can still take some seconds per 10,000 elements.
_THOROUGH_ELEMENTS = 4_000
_MAX_ELEMENTS = 30_000

# trafilatura reads the clock for a latest date unless it is given one; no date is extracted with it.
_NO_CLOCK = {"max_date": "1970-01-01"}
# What library code raises on a tree it did not foresee; MemoryError and the like are not ours to swallow.
_LIBRARY_ERRORS = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


@dataclass(frozen=True)
class Extracted:
    """The main content of an HTML page and its metadata.

    Attributes:
        markdown: The main content; "" when nothing was found.
        title: <title>, else og:title, else the first visible h1.
        dates: Labelled dates in the page's own time zone, sorted and unique; invalid ones are dropped.
        url: The page's own address, from its canonical link or og:url; None without either.
    """

    markdown: str
    title: str | None
    dates: tuple[date, ...]
    url: str | None = None


def looks_like_html(text: str) -> bool:
    """Return whether a text opens as an HTML document, after byte-order mark, declarations and comments.

    HTML shown further down, such as a code example in Markdown, does not count.
    """
    head = text[:_OPENING_LENGTH].lstrip("\ufeff \t\r\n\f")
    while head.startswith(("<?", "<!--")):
        _, _, head = head.partition("-->" if head.startswith("<!--") else ">")
        head = head.lstrip()
    if _HEAD_ELEMENT.match(head):
        return _DOCUMENT.search(head) is not None
    return _DOCUMENT.match(head) is not None


def extract(html: str) -> Extracted:
    """Extract the main content and metadata of an HTML page.

    Raises:
        MissingExtra: trafilatura is not installed.
        ExtractionFailed: The document has more than 255 nested elements, 10 MB in one text or tag
            (the parser would drop the rest), or 30,000 elements.
    """
    try:
        import trafilatura
    except ImportError as error:
        raise MissingExtra(extra="html", package="trafilatura") from error
    tree = _parse(html)
    if tree is None:
        return Extracted("", None, ())
    titles = [element.text_content() for element in tree.xpath("//title[not(ancestor::svg)]")]
    titles += [content for name, content in _read_meta(tree) if name == "og:title"]
    dates = sorted({day for value in _find_date_labels(tree) if (day := _parse_date(value))})
    addresses = [*tree.xpath("//link[@rel='canonical']/@href"), *(c for n, c in _read_meta(tree) if n == "og:url")]
    url = next((a for a in map(str.strip, addresses) if a.lower().startswith(("http://", "https://"))), None)
    _drop_hidden(tree)
    titles += [heading.text_content() for heading in tree.iter("h1")]
    title = next((words for text in titles if (words := " ".join(text.split()))), None)
    return Extracted(_extract_markdown(trafilatura, tree), title, tuple(dates), url)


@cache
def is_installed() -> bool:
    """Return whether the extractor is there; it comes with an extra."""
    return find_spec("trafilatura") is not None


@cache
def version() -> str:
    """Return the extractor's name and version, which a page's scoring hash covers."""
    return f"trafilatura {metadata.version('trafilatura')}"


def _parse(html: str) -> HtmlElement | None:
    """Parse without comments and processing instructions; return None when there is no element and no text."""
    from lxml import etree
    from lxml.html import HTMLParser, document_fromstring

    # The parser compares every attribute of a tag with every other. A long tag is most often an embedded picture, so
    # it is the white space between attributes that counts.
    if any(len(tag[0].split()) > _MAX_ATTRIBUTES for tag in _LONG_TAG.finditer(html)):
        raise ExtractionFailed(f"one of its tags has over {_MAX_ATTRIBUTES:,} attributes")
    # The encoding overrules a <meta charset>, which describes the file and not this already decoded text.
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, collect_ids=False, huge_tree=False)
    source = _SURROGATE.sub("\ufffd", _CONTROL.sub("", html)).encode("utf-8")
    try:
        tree: HtmlElement = document_fromstring(source, parser=parser)
    except etree.ParserError:  # lxml's word for an empty document
        return None
    except etree.LxmlError as error:
        raise ExtractionFailed(str(error)) from error
    for entry in parser.error_log:
        if entry.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT:
            raise ExtractionFailed(f"it exceeds a limit of the parser on line {entry.line} ({entry.message.strip()})")
    if _count_elements(tree) > _MAX_ELEMENTS:
        raise ExtractionFailed(f"it has {_count_elements(tree):,} elements, over the limit of {_MAX_ELEMENTS:,}")
    return tree


def _count_elements(tree: HtmlElement) -> int:
    return int(tree.xpath("count(//*)"))


def _drop_hidden(tree: HtmlElement) -> None:
    """Remove every element that no reader sees, and keep the text that follows it.

    A hidden <html> or <body> is ignored: scripts reveal such pages, and nothing else is visible.
    Hiding by style sheet, position or colour is not detected.
    """
    from lxml import etree

    for element in tree.xpath(_MAYBE_HIDDEN):
        is_marked = element.get("hidden") is not None or element.get("aria-hidden", "").strip().lower() == "true"
        if element.tag not in ("html", "body") and (is_marked or style_hides(element.get("style", ""))):
            element.tag = _HIDDEN
    # One pass in C: dropping them one by one joins the texts between them again and again.
    etree.strip_elements(tree, *_SILENT, _HIDDEN, with_tail=False)


def _extract_markdown(trafilatura: ModuleType, tree: HtmlElement) -> str:
    from lxml import etree

    _protect(tree)
    try:
        markdown = trafilatura.extract(
            tree,
            output_format="markdown",
            include_comments=False,
            include_images=False,
            include_links=True,
            include_tables=True,
            fast=_count_elements(tree) > _THOROUGH_ELEMENTS,
            # Its memory of earlier pages would make a page's text depend on those read before it.
            deduplicate=False,
            with_metadata=False,
            date_extraction_params=_NO_CLOCK,
        )
    except (etree.LxmlError, *_LIBRARY_ERRORS) as error:
        raise ExtractionFailed(f"trafilatura gave up with {type(error).__name__}") from error
    # \< and &lt; are the same character in Markdown; only the second cannot be taken for a tag by a reader
    # that looks for hidden elements, so a page that explains <template> is not hidden from there on.
    return _TAG_SHOWN_AS_TEXT.sub("&lt;", markdown or "").strip()


def _protect(tree: HtmlElement) -> None:
    """Protect the tree from trafilatura, which decodes entities again, prints attributes and fails on odd tag names.

    The second decoding would turn a shown "&lt;script&gt;" into a tag, and the "&copy=1" of an address into "©=1".
    """
    for element in tree.iter():
        # Written back even if unchanged: it joins the pieces that dropped elements left, which are slow to search.
        if element.text:
            element.text = _escape(element.text)
        if element.tail:
            element.tail = _escape(element.tail)
        if address := element.get("href"):
            element.set("href", _escape(address))
        for name in _PRINTED_ATTRIBUTES:
            element.attrib.pop(name, None)
        if not _TAG_NAME.fullmatch(str(element.tag)):
            element.tag = "span"
        elif element.tag == "ol" and len(element) > _NUMBERED_ITEMS:
            element.tag = "ul"


def _escape(text: str) -> str:
    """Escape a text so that decoding its entities once gives what a reader sees."""
    text = _CONTROL.sub("", text)
    if "&" in text and entities.unescape(text) != text:
        text = text.replace("&", "&amp;")
    return _FORMULA.sub("&#92;", text)


def _read_meta(tree: HtmlElement) -> Iterator[tuple[str, str]]:
    for element in tree.iter("meta"):
        name = element.get("property") or element.get("name") or ""
        yield name.strip().lower(), element.get("content", "")


def _find_date_labels(tree: HtmlElement) -> Iterator[str]:
    yield from (content for name, content in _read_meta(tree) if name in _DATE_META)
    for element in tree.xpath("//*[@itemprop]"):
        if not set(_DATE_KEYS).isdisjoint(element.get("itemprop", "").split()):
            yield element.get("content") or element.get("datetime") or element.text_content()
    yield from (element.get("datetime", "") for element in tree.iter("time"))
    for script in tree.iter("script"):
        kind = script.get("type", "").partition(";")[0].strip().lower()
        if kind == "application/ld+json" and len(script.text or "") <= _JSON_LD_LENGTH:
            yield from _find_json_ld_dates(script.text or "")


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
