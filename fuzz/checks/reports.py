"""Reports of any page: nothing of it is read as markup by a browser or obeyed by a terminal, and JSON is read back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from datetime import date
from functools import cache
from typing import Any

from fuzz.checks import Problems
from steelyard.advice.finding import DOCUMENTATION
from steelyard.inputs.page_ref import PageRef
from steelyard.pages import html, listing, terminal
from steelyard.pages.explain import render_explanation
from steelyard.pipeline import PageError, PageResult, analyse
from steelyard.settings import Settings
from steelyard.support.artifacts import to_json

# Control characters, marks that turn the direction of text, and what UTF-8 cannot hold.
_OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_OWN_ADDRESSES = ("#", f"{DOCUMENTATION}/rules/")  # places of the report, and the pages of rules
_FORBIDDEN_ELEMENTS = frozenset("iframe object embed img link base form a video audio".split())
_PLAIN, _DAY = "# Boats\n\nThe boats lie in the harbour.\n", date(2026, 7, 1)
_ONCE = ("script", "style", "title", "body", "html", "head", "main")  # of which a report has as many as any other


def check_json(written: str) -> Problems:
    """Check that JSON is read back as what was written."""
    read = json.loads(written)
    # JSON has one spelling for a character and for its two surrogates, which a text in Python may hold one by one.
    if to_json(read, indent=None) != written and json.loads(to_json(read, indent=None)) != read:
        yield "json", "the JSON is read back as something else"


def check_terminal(result: PageResult) -> Problems:
    """Check what a terminal shows about one page."""
    yield from check_lines("terminal", (line for line, _ in terminal.render_page(result)))


def check_explanation(result: PageResult) -> Problems:
    """Check the explanation of a page, with all its evidence."""
    yield from check_lines("explanation", render_explanation(result, everything=True))


def check_documents(pages: Sequence[PageResult], errors: Sequence[PageError], settings: Settings) -> Problems:
    """Check the reports about many pages at once."""
    listed = list(map(listing.list_page, pages))
    lines = listing.render_listing(listed, errors, pages[0].page if pages else None, detect=True)
    yield from check_lines("listing", (line for line, _ in lines))
    written = listing.render_markdown(listed, errors, settings.to_dict(), detect=True)
    yield from check_lines("Markdown report", written.split("\n"))
    yield from _check_markup(html.render_report(pages, errors, settings.as_of))


def check_lines(kind: str, lines: Iterable[str]) -> Problems:
    """Check that a terminal shows lines and obeys none of them."""
    shown = list(lines)
    if _OBEYED.search("".join(shown)):
        for line in shown:
            if found := _OBEYED.search(line):
                yield "control character", f"{kind}: U+{ord(found[0]):04X} in {line[:200]!r}"


@cache
def _count_own_elements() -> dict[str, int]:
    """Count them in a report about a page without a trick."""
    from lxml.html import fromstring

    plain = analyse(PageRef("plain.md", text=_PLAIN), Settings.resolve(as_of=_DAY, keep_text=True))
    tree: Any = fromstring(html.render_report([plain], [], _DAY))
    return {name: sum(1 for one in tree.getroottree().iter(name) if not _is_drawn(one)) for name in _ONCE}


def _is_drawn(element: Any) -> bool:
    """Tell whether an element belongs to a drawing, where every bar has a title."""
    return any(True for _ in element.iterancestors("svg"))


def _check_markup(report: str) -> Problems:
    """Check that a report holds no element, attribute or address that comes from a page."""
    if found := _OBEYED.search(report.replace("\n", "")):
        yield "control character", f"HTML report: U+{ord(found[0]):04X}"
    from lxml.html import HTMLParser, document_fromstring

    tree: Any = document_fromstring(report.encode("utf-8", "backslashreplace"), parser=HTMLParser(encoding="utf-8"))
    counts: dict[str, int] = {}
    for element in tree.iter():
        name = str(element.tag)
        if name != "title" or not _is_drawn(element):
            counts[name] = counts.get(name, 0) + 1
        for attribute, value in element.attrib.items():
            address = attribute in ("href", "src", "action", "formaction", "data", "srcdoc")
            if attribute.startswith("on") or (address and not value.startswith(_OWN_ADDRESSES)):
                yield "markup", f"the HTML report has {attribute}={value[:100]!r} on <{name}>"
        if name in _FORBIDDEN_ELEMENTS and not (name == "a" and element.get("href", "").startswith(_OWN_ADDRESSES)):
            yield "markup", f"the HTML report has a <{name}>"
    for name, own in _count_own_elements().items():
        if counts.get(name, 0) != own:
            yield "markup", f"the HTML report has {counts.get(name, 0)} <{name}>"
