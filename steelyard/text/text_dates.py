"""The dates of a page of text or Markdown: in its front matter, at its top and bottom, and in its address."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date

from steelyard.text import frontmatter
from steelyard.text.date_lines import MAX_LINE, read_dateline, read_line
from steelyard.text.dates import FRONT_MATTER, URL, VISIBLE_TEXT, DateWords, PageDates, find_address_date

MATTER_UPDATES = ("updated", "modified", "lastmod", "last_modified", "last_updated", "last_modified_at", "dateupdated")
MATTER_DATES = ("date", "published", "pubdate", "publishdate", "date_published", *MATTER_UPDATES)
_MATTER_PUBLISHED = ("date", "published", "pubdate", "publishdate", "date_published", "datepublished", "created")

TOP, TOP_LINES = 1_500, 8  # characters and lines in which a page of text has its date
BOTTOM, BOTTOM_LINES = 500, 4
_BESIDE_FIRST = 15  # in the first line, which may be a title
_NO_LINE = re.compile(r"(?:#|[-*+>] |\||[0-9]+[.)] (?![^\W\d_]))")  # headings, items, quotations and rows
_MARKUP = re.compile(r"[*_`]{1,3}")
_NUMBERS = re.compile(r"(?<![0-9])[0-3]?[0-9][./-][0-3]?[0-9][./-](?:19|20)?[0-9]{2}(?![0-9])")


def read_text_dates(
    text: str, words: DateWords, address: str | None = None, order: Callable[[], bool | None] = lambda: None
) -> PageDates:
    """Return the dates of a page of text or Markdown.

    Args:
        text: The page with its front matter.
        words: The words of all languages.
        address: Where the page is from, if that is known.
        order: Tells whether the month comes first in 3/6/2019; None where that is open.
    """
    matter, start = frontmatter.read(text)
    published = _read_matter(matter, _MATTER_PUBLISHED, words)
    updated = _read_matter(matter, MATTER_UPDATES, words)
    if published or updated:
        return PageDates.of(published, updated, FRONT_MATTER)
    found = PageDates()
    top, bottom = text[start : start + TOP], text[max(start + TOP, len(text) - BOTTOM) :]
    if words.may_hold_date(top) or words.may_hold_date(bottom):
        month_first = order() if _NUMBERS.search(top) or _NUMBERS.search(bottom) else None
        found = _read_lines(top, bottom, words, month_first)
    if found.published is None and address:
        month_first = order() if _NUMBERS.search(address) else None
        day = find_address_date(address, month_first=month_first)
        return found if day is None else PageDates.of(day, found.updated, URL)
    return found


def _read_matter(matter: Mapping[str, str], keys: tuple[str, ...], words: DateWords) -> date | None:
    values = (matter[key][:80] for key in keys if key in matter)
    return next((written.day for value in values for written in words.find_dates(value)), None)


def _read_lines(top: str, bottom: str, words: DateWords, month_first: bool | None) -> PageDates:
    days: dict[str, date] = {}
    for label, day in _find_in_lines(top, bottom, words, month_first):
        days.setdefault(label, day)
    published = days.get("published") or days.get("")
    return PageDates.of(published, days.get("updated"), VISIBLE_TEXT)


def _find_in_lines(top: str, bottom: str, words: DateWords, month_first: bool | None) -> Iterator[tuple[str, date]]:
    before = ""
    for number, line in enumerate(_clean_lines(top)[:TOP_LINES]):
        if not words.may_hold_date(line[:MAX_LINE]):
            before = line
            continue
        for one in read_line(line, words, before=before, month_first=month_first):
            beside = len(line) - (one.written.end - one.written.start)
            if one.label:
                yield one.label, one.written.day
            elif (
                not _NO_LINE.match(line)
                and one.is_plain
                and (number or (beside <= _BESIDE_FIRST and " " not in line[: one.written.start].strip()))
            ):
                yield "", one.written.day
        if written := read_dateline(line, words, month_first=month_first):
            yield "", written.day
        before = line
    for line in filter(words.may_hold_date, _clean_lines(bottom)[-BOTTOM_LINES:]):
        for one in read_line(line, words, month_first=month_first):
            if one.label and not _NO_LINE.match(line):
                yield one.label, one.written.day


def _clean_lines(text: str) -> list[str]:
    lines = (_MARKUP.sub("", line).strip() for line in text.split("\n"))
    return [line for line in lines if line]
