"""The dates of an HTML page, from what it declares, what it shows and its address."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from typing import TYPE_CHECKING

from steelyard.text.dates import URL, DateWords, PageDates, find_address_date
from steelyard.text.html.metadata import read_language
from steelyard.text.html.visible_dates import know_order, read_visible

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_A_DAY = timedelta(days=1)


def combine_dates(declared: PageDates, visible: PageDates, address: date | None) -> PageDates:
    """Return the page's dates: the declared ones, on the day that a reader sees, else those it shows, else the address.

    A declared hour is often that of Greenwich, and the day beside the title is then the one before or after.
    """
    published, updated, source = declared.published, declared.updated, declared.source
    if published is None:
        published, source = (visible.published, visible.source) if visible.published else (address, URL)
    else:
        shown = next((day for day in (visible.published, address) if day and abs(day - published) <= _A_DAY), published)
        if updated and abs(updated - published) <= _A_DAY and updated != shown:
            updated = updated + (shown - published)
        published = shown
    if updated is None or (visible.updated and abs(visible.updated - updated) <= _A_DAY):
        updated = visible.updated or updated
    if published is None:
        source = declared.source if declared.updated else visible.source
    return PageDates.of(published, updated, source or "")


def read_page_dates(
    tree: HtmlElement, declared: PageDates, words: DateWords, titles: Iterable[str], address: str | None
) -> PageDates:
    """Return the dates of a page from its tree without hidden elements and what it declared before."""
    language = read_language(tree)
    visible = read_visible(tree, words, titles, language, near=declared.published is not None)
    return combine_dates(declared, visible, find_address_date(address, month_first=know_order(language)))
