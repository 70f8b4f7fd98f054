"""page_description: a page that leaves to others what lists of results say of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.passages import locate_page
from steelyard.advice.rule import Rule

LONG = 500  # characters, of which lists of results show a third
ELLIPSES = ("…", "...", "[…]", "[...]", "(…)", "(...)")
BEGINS = 8  # words that a description is named by
SHOWN = 5  # words that a broken one ends with
_REFERENCE = re.compile(r"&(?:#[0-9]{2,5}|[a-z]{2,6});")  # of HTML, written twice


class PageDescription(Rule):
    topic = "description"
    about = "the description in the page's head"
    level = "note"
    what = "An HTML page has no description of itself, or one that is damaged, cut off, or as long as an article."
    why = "Lists of results and shared links show it under the title; without one they show whatever they find."
    how = (
        "`meta` with the name description, else og:description: none, an empty one, more than 500 characters, signs of "
        "HTML, or the beginning of the text up to the middle of a sentence."
    )
    certain_when = "the page has a title, as whole pages have and fragments have not."
    action = "say in one or two sentences what the page is about"
    invents = "what the page does not say"

    def find(self, context: Context) -> Iterator[Finding]:
        head = context.head
        if head is None or not head.titled:
            return
        description = " ".join(head.description.split())
        why = _judge(description, " ".join(context.doc.text.split()))
        if why and description:
            begins = " ".join(description.split()[:BEGINS])
            why = f"the {head.described_in}, “{begins} …”, {why}"
        if why:
            yield self.make(locate_page(context.doc), why)


def _judge(description: str, text: str) -> str:
    """Return what is wrong with a description, as a verb, given the text of its page; "" if nothing is."""
    if not description:
        return "the page has no description"
    if len(description) > LONG:
        return f"has {len(description):,} characters"
    signs = _REFERENCE.search(description)
    if signs:
        return f"shows “{signs[0]}”"
    shown = description
    for mark in ELLIPSES:
        shown = shown.removesuffix(mark).rstrip()
    at = text.find(shown) if shown else -1
    breaks = at >= 0 and shown[-1:].isalnum() and text[at + len(shown) :].lstrip()[:1].islower()
    return f"breaks off after “{' '.join(shown.split()[-SHOWN:])}”" if breaks else ""
