"""page_description: a page that leaves to others what lists of results say of it."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.passages import locate_page
from steelyard.advice.rule import Rule

LONG = 500  # characters, of which lists of results show a third


class PageDescription(Rule):
    topic = "description"
    about = "the description in the page's head"
    level = "note"
    what = "An HTML page has no description of itself, or one that is the length of an article."
    why = "Lists of results and shared links show it under the title; without one they show whatever they find."
    how = "`meta` with the name description or og:description: none, an empty one, or more than 500 characters."
    certain_when = "the page has a title, as whole pages have and fragments have not."
    action = "say in one or two sentences what the page is about"
    invents = "what the page does not say"

    def find(self, context: Context) -> Iterator[Finding]:
        head = context.head
        if head is None or not head.titled:
            return
        length = len(head.description)
        if not length:
            yield self.make(locate_page(context.doc), "the page has no description")
        elif length > LONG:
            yield self.make(locate_page(context.doc), f"the page's description has {length:,} characters")
