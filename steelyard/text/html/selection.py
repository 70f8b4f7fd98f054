"""The main part of a page as its owner names it: by a CSS selector.

Selectors have names, classes, ids, attributes and :not() of these, inside one another by blanks and >. Each step is one
pass over the page: XPath, to which cssselect would translate the whole, takes minutes for `* ~ *` on a large page.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from steelyard.errors import InvalidSelector, MissingExtra, SelectedNothing

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MAX_LENGTH = 300  # characters
MAX_STEPS = 20
_SHOWN, _MAX_REASON = 40, 200  # characters
_KEPT_TAGS = frozenset("blockquote dl h1 h2 h3 h4 h5 h6 ol p pre section table ul".split())
_LAID_OUT_TAGS = frozenset("aside button dialog footer form header main nav".split())
_NAMES = ("class", "id", "role", "itemprop", "itemtype")
_SIMPLE = frozenset(("Attrib", "Class", "Element", "Hash", "Negation"))

# A condition as XPath, and how it relates to the one before it: "" for the first, " " inside it, ">" a child of it.
Step = tuple[str, str]


def check_selector(selector: str) -> str:
    """Return a selector that can be used, without blanks around it.

    Raises:
        InvalidSelector: It is no CSS selector, is too long, or has what is not supported.
        MissingExtra: The package that reads selectors is not installed.
    """
    selector = selector.strip()
    _read_steps(selector)
    return selector


@lru_cache(maxsize=64)
def _read_steps(selector: str) -> tuple[tuple[Step, ...], ...]:
    """Return the steps of each alternative of a selector."""
    if len(selector) > MAX_LENGTH:
        raise InvalidSelector(f"{selector[:_SHOWN]}…", f"it has more than {MAX_LENGTH} characters")
    try:
        from cssselect import SelectorError, parse
    except ImportError as error:
        raise MissingExtra(extra="html", package="cssselect") from error
    try:
        alternatives = []
        for alternative in parse(selector):
            if alternative.pseudo_element is not None:
                raise InvalidSelector(selector, "it has a pseudo-element")
            alternatives.append(tuple(_list_steps(alternative.parsed_tree, selector)))
    except (SelectorError, RecursionError) as error:
        raise InvalidSelector(selector, " ".join(str(error).split())[:_MAX_REASON] or "it cannot be read") from error
    if sum(map(len, alternatives)) > MAX_STEPS:
        raise InvalidSelector(selector, f"it has more than {MAX_STEPS} steps")
    return tuple(alternatives)


def _list_steps(parsed: Any, selector: str) -> Iterator[Step]:
    """Yield the steps of a parsed selector, the outermost element's first."""
    from cssselect import HTMLTranslator

    relation = ""
    if type(parsed).__name__ == "CombinedSelector":
        relation = parsed.combinator
        if relation not in (" ", ">"):
            raise InvalidSelector(selector, f"it has {relation!r}, and only blanks and > are supported")
        yield from _list_steps(parsed.selector, selector)
        parsed = parsed.subselector
    _require_simple(parsed, selector)
    yield str(HTMLTranslator().xpath(parsed)), relation


def _require_simple(parsed: Any, selector: str) -> None:
    while parsed is not None:
        if type(parsed).__name__ not in _SIMPLE:
            raise InvalidSelector(selector, "it has a pseudo-class, and only :not() is supported")
        if type(parsed).__name__ == "Negation":
            _require_simple(parsed.subselector, selector)
        parsed = getattr(parsed, "selector", None)


def select_main(tree: HtmlElement, selector: str) -> HtmlElement:
    """Return a page with nothing but what a selector picks, in the page's order.

    Class names, ids and roles are left out of it: they would make the extractor choose once more.

    Raises:
        SelectedNothing: Nothing on the page fits.
    """
    from lxml.html import document_fromstring

    chosen = set().union(*(_select(tree, steps) for steps in _read_steps(selector)))
    inside = _find_inside(tree, chosen)  # what is in another element that is picked comes with it
    outermost = [element for element in tree.iter() if element in chosen and element not in inside]
    if not outermost:
        raise SelectedNothing(selector)
    page = document_fromstring("<html><body><article></article></body></html>")
    article = page.find("body/article")
    for element in outermost:
        element.tail = None
        if element.tag not in _KEPT_TAGS:
            element.tag = "div"
        article.append(element)
    for element in article.iter():
        for name in _NAMES:
            element.attrib.pop(name, None)
        if element.tag in _LAID_OUT_TAGS:
            element.tag = "div"
    return page


def _select(tree: HtmlElement, steps: tuple[Step, ...]) -> set[HtmlElement]:
    found: set[HtmlElement] = set()
    for condition, relation in steps:
        fitting = set(tree.xpath(f"//{condition}"))
        if relation == " ":
            fitting &= _find_inside(tree, found)
        elif relation == ">":
            fitting = {element for element in fitting if element.getparent() in found}
        found = fitting
    return found


def _find_inside(tree: HtmlElement, outer: set[HtmlElement]) -> set[HtmlElement]:
    """Return all elements inside some."""
    inside: set[HtmlElement] = set()
    if outer:
        for element in tree.iter():  # parents come first
            parent = element.getparent()
            if parent in outer or parent in inside:
                inside.add(element)
    return inside
