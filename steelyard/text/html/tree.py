"""The page as a tree: parsed, without what no reader sees, and made safe for the extractor."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from steelyard.errors import ExtractionFailed
from steelyard.text.html.limits import CONTROL, HtmlLimits
from steelyard.text.tags import decode_references, style_hides

if TYPE_CHECKING:
    from lxml.html import HtmlElement

# Never displayed. The annotations of a formula are its source text, hidden by every browser.
_SILENT = ("script", "style", "template", "noscript", "annotation", "annotation-xml")
_HIDDEN = "steelyard-hidden"
_MAYBE_HIDDEN = "//*[@hidden or @aria-hidden or @style]"
_OUTERMOST_HIDDEN = (
    f"//*[self::{_HIDDEN} or self::noscript or self::template]"
    f"[not(ancestor::{_HIDDEN} or ancestor::noscript or ancestor::template)]"
)
# Attributes that trafilatura would print as content: forum posts preloaded as JSON, formulas as text.
_PRINTED_ATTRIBUTES = ("data-preloaded", "alttext")

# What trafilatura escapes for Markdown, and we for trafilatura, each in about a microsecond.
_MARKS = "*_`~[]<&\\"
# A backslash that opens a formula, and how many items of a list get numbers: both cost trafilatura quadratic time.
_FORMULA = re.compile(r"\\(?=[(\[])")
_NUMBERED_ITEMS = 1000
# trafilatura removes these tags and leaves the words between them as so many pieces of text, each of which lxml
# looks for from the first: 40 s for 29,900 in one paragraph, and 0.1 s for this many.
_DISSOLVED = frozenset(
    "abbr acronym address bdi bdo big cite data dfn font hgroup img ins mark meta nobr ruby small span tbody tfoot "
    "thead wbr".split()
)
_MAX_PIECES = 2_000
_PIECE = "steelyard-piece"
# Names that XML does not know, such as Word's <o:p>: one in a list or quotation, and trafilatura finds nothing.
_TAG_NAME = re.compile(r"[a-z][a-z0-9_.-]*")
# trafilatura takes a larger colspan or rowspan, and a wider table, for this.
_MAX_SPAN = 100


def parse(source: str, limits: HtmlLimits) -> HtmlElement | None:
    """Parse without comments and processing instructions; return None when there is no element and no text.

    Raises:
        ExtractionFailed: The tree is over a limit, or over one of the parser's, which would drop the rest.
    """
    from lxml import etree
    from lxml.html import HTMLParser, document_fromstring

    # The encoding overrules a <meta charset>, which describes the file and not this already decoded text.
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, collect_ids=False, huge_tree=False)
    try:
        tree: HtmlElement = document_fromstring(source.encode("utf-8"), parser=parser)
    except etree.ParserError:  # lxml's word for an empty document
        return None
    except etree.LxmlError as error:
        raise ExtractionFailed(str(error)) from error
    for entry in parser.error_log:
        if entry.type == etree.ErrorTypes.ERR_NO_MEMORY:
            raise MemoryError
        if entry.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT:
            raise ExtractionFailed(f"it exceeds a limit of the parser on line {entry.line} ({entry.message.strip()})")
    limits.check("elements", count_elements(tree), "elements")
    _check_nesting(tree, limits)
    limits.check("cells", count_cells(tree), "table cells")
    return tree


def count_elements(tree: HtmlElement) -> int:
    """Return how many elements the tree has."""
    return int(tree.xpath("count(//*)"))


def count_cells(tree: HtmlElement) -> int:
    """Return how many cells the page's tables have, at most, when spans are expanded and rows filled."""
    cells = 0
    rows: dict[HtmlElement | None, int] = {}
    widths: dict[HtmlElement | None, int] = {}
    for row in tree.iter("tr", "caption"):
        table = next(row.iterancestors("table"), None)
        width = sum(_read_span(cell, "colspan") for cell in row.iterchildren("td", "th"))
        cells += max(0, width - _MAX_SPAN)  # a row is filled up to that width, and never cut
        rows[table] = rows.get(table, 0) + 1
        widths[table] = max(widths.get(table, 0), min(width, _MAX_SPAN))
    for cell in tree.iter("td", "th"):
        rows_below = _read_span(cell, "rowspan") - (cell.getparent().tag == "tr")
        cells += max(0, rows_below) * _read_span(cell, "colspan")
    return cells + sum(count * widths[table] for table, count in rows.items())


def _read_span(cell: HtmlElement, name: str) -> int:
    value = cell.get(name, "1")
    if not value.isdecimal():
        return 1
    return _MAX_SPAN if len(value) > 4 else min(int(value), _MAX_SPAN)


def _check_nesting(tree: HtmlElement, limits: HtmlLimits) -> None:
    from lxml import etree

    # The level of every element in C; they are walked through only to say how many there are.
    if not tree.xpath("boolean(//*[count(ancestor::*) >= $limit])", limit=limits.nesting):
        return
    level = deepest = 0
    for event, _ in etree.iterwalk(tree, events=("start", "end")):
        level += 1 if event == "start" else -1
        deepest = max(deepest, level)
    limits.check("nesting", deepest, "levels of elements")


def mark_hidden(tree: HtmlElement) -> list[HtmlElement]:
    """Mark every element that its attributes hide from a reader; return the outermost of them and of those never shown.

    A hidden <html> or <body> is ignored: scripts reveal such pages, and nothing else is visible.
    Hiding by style sheet, position or colour is not detected.
    """
    for element in tree.xpath(_MAYBE_HIDDEN):
        is_marked = element.get("hidden") is not None or element.get("aria-hidden", "").strip().lower() == "true"
        if element.tag not in ("html", "body") and (is_marked or style_hides(element.get("style", ""))):
            element.tag = _HIDDEN
    return list(tree.xpath(_OUTERMOST_HIDDEN))


def drop_hidden(tree: HtmlElement) -> None:
    """Remove what was marked and what is never displayed, and keep the text that follows it."""
    from lxml import etree

    # One pass in C: dropping them one by one joins the texts between them again and again.
    etree.strip_elements(tree, *_SILENT, _HIDDEN, with_tail=False)


def protect(tree: HtmlElement, limits: HtmlLimits) -> None:
    """Protect the tree from trafilatura, which decodes entities again, prints attributes and fails on odd tag names.

    The second decoding would turn a shown "&lt;script&gt;" into a tag, and the "&copy=1" of an address into "©=1".

    Raises:
        ExtractionFailed: There is more to escape than the limits allow.
    """
    text = tree.text_content()
    limits.check("marks", sum(map(text.count, _MARKS)), "characters to escape")
    known: set[str] = set()
    for element in tree.iter():
        # Written back even if unchanged: it joins the pieces that dropped elements left, which are slow to search.
        if text := element.text:
            element.text = _escape(text)
        if text := element.tail:
            element.tail = _escape(text)
        attributes = element.attrib
        if attributes:
            if address := attributes.get("href"):
                attributes["href"] = _escape(address)
            for name in _PRINTED_ATTRIBUTES:
                attributes.pop(name, None)
        tag = element.tag
        if tag not in known:
            if _TAG_NAME.fullmatch(str(tag)):
                known.add(tag)
            else:
                element.tag = "span"
        if tag == "ol" and len(element) > _NUMBERED_ITEMS:
            element.tag = "ul"
    _join_pieces(tree)
    if count_elements(tree) * tree.xpath("string-length()") > limits.joins:  # else no count can be over the limit
        limits.check("joins", count_joins(tree), "characters in crowded texts")


def count_joins(tree: HtmlElement) -> int:
    """Return the characters of each text times the elements in it, added up over all texts.

    trafilatura takes labels, buttons, figures and the like out one by one, and joins the text before each with the
    text behind it. An element that it dissolves leaves its text and its children to the one around it.
    """
    elements: Counter[HtmlElement | None] = Counter()
    characters: Counter[HtmlElement | None] = Counter()
    holders = _find_holders(tree)
    for element in tree.iter():
        parent = element.getparent()
        holder = holders.get(parent, parent)
        elements[holder] += 1
        characters[holder] += len(element.tail or "")
        characters[holders.get(element, element)] += len(element.text or "")
    return sum(count * characters[element] for element, count in elements.items())


def _find_holders(tree: HtmlElement) -> dict[HtmlElement, HtmlElement]:
    """Return, for each element that trafilatura dissolves, the one that gets its text."""
    holders: dict[HtmlElement, HtmlElement] = {}
    for element in tree.iter(
        *_DISSOLVED
    ):  # in document order, so that a parent's holder is known before its children's
        parent = element.getparent()
        holders[element] = holders.get(parent, parent)
    return holders


def _join_pieces(tree: HtmlElement) -> None:
    """Remove the tags that trafilatura removes anyway where one element holds very many of them."""
    from lxml import etree

    holders = _find_holders(tree)
    if len(holders) <= _MAX_PIECES:
        return
    pieces = Counter(holders.values())
    for element, holder in holders.items():
        if pieces[holder] > _MAX_PIECES:
            element.tag = _PIECE
    etree.strip_tags(tree, _PIECE)
    for element in tree.iter():  # each text is then one piece
        element.text, element.tail = element.text, element.tail


def _escape(text: str) -> str:
    """Escape a text so that decoding its entities once gives what a reader sees."""
    text = CONTROL.sub("", text)
    if "&" in text and decode_references(text) != text:
        text = text.replace("&", "&amp;")
    return _FORMULA.sub("&#92;", text)
