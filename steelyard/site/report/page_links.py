"""Links to the views of pages, and lists that fold what is beyond their first screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from steelyard.pages.descriptions import MAX_SUGGESTIONS
from steelyard.pages.html.parts import render_fold
from steelyard.support import escape

FOLDED = 25  # entries of a list that are shown; the others are folded, as many at a time


@dataclass(frozen=True, slots=True)
class PageLinks:
    """Where the views of pages are: in the file itself, or on pages of the app.

    Attributes:
        site: The host of the site, which is left out of the names of its pages.
        places: The address of each page's view; pages without one are named only.
        base: The address of the page that has the lists; empty where they are on the same one.
        prefix: How the ids of suggestions begin where each view is a page of its own; empty where they begin with that
            of their view.
    """

    site: str
    places: Mapping[str, str] = field(default_factory=dict)
    base: str = ""
    prefix: str = ""

    def name(self, url: str) -> str:
        """Return a page's address without that of the site."""
        parts = urlsplit(url) if url.startswith(("http://", "https://")) else None
        if parts is None or parts.netloc.removeprefix("www.") != self.site.removeprefix("www."):
            return url
        return parts._replace(scheme="", netloc="").geturl() or "/"

    def render(self, url: str) -> str:
        """Return a page's name, as a link to its view if there is one."""
        name, place = escape.html(self.name(url)), self.places.get(url)
        return f'<a href="{escape.html(place)}">{name}</a>' if place else name

    def render_place(self, url: str, number: int, text: str) -> str:
        """Return a text as a link to a suggestion of a page, or to its view where that does not show so many."""
        place = self.places.get(url)
        if not place:
            return escape.html(text)
        suggestion = f"{'#' if self.prefix else ''}{self.prefix}-{number}" if number <= MAX_SUGGESTIONS else ""
        return f'<a href="{escape.html(place + suggestion)}">{escape.html(text)}</a>'


def link_outside(url: str) -> str:
    """Return a link to the page itself; empty for what no browser should open."""
    if not url.startswith(("http://", "https://")):
        return ""
    return f'<a href="{escape.html(url)}" rel="noreferrer">Open {escape.html(url)}</a>'


def render_list(items: Sequence[str], noun: str = "more") -> str:
    """Return a list of items that are HTML already; all beyond the first are folded."""
    parts = [
        f"<ul>{''.join(f'<li>{item}</li>' for item in items[at : at + FOLDED])}</ul>"
        for at in range(0, len(items), FOLDED)
    ]
    return fold(parts, len(items), noun)


def fold(parts: Sequence[str], total: int, noun: str = "more") -> str:
    """Return the first part as it is, and each other one folded away below its numbers."""
    if not parts:
        return ""
    folded = (
        render_fold(f"{noun} {at * FOLDED + 1:,} to {min(total, (at + 1) * FOLDED):,} of {total:,}", part)
        for at, part in enumerate(parts[1:], start=1)
    )
    return parts[0] + "".join(folded)
