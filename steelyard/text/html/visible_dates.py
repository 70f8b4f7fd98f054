"""The dates that a reader of the page sees: beside its title, or with a label."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from steelyard.text.date_lines import AROUND, read_label_before, read_line
from steelyard.text.dates import VISIBLE_TEXT, DateWords, PageDates
from steelyard.text.html.lines import LENGTH, Line, read_lines

if TYPE_CHECKING:
    from lxml.html import HtmlElement

BEFORE, AFTER = 4, 10  # lines before and after the title in which a date without a label is the page's
SUMMARY = 600  # characters between the title and such a date: a summary, and the authors
LISTED, UNDER = 3, 3  # dates that stand, within so many lines, under headings of their own: those of a list of pages
ALONE = 15  # characters beside a date that stands alone, on a page without a title
_DIGIT = re.compile("[0-9]")


class Candidate(NamedTuple):
    """A date that may be the page's."""

    day: date
    label: str
    is_near: bool
    place: int


def read_visible(tree: HtmlElement, words: DateWords, titles: Iterable[str], language: str, *, near: bool) -> PageDates:
    """Return the dates that the page shows, from a tree without hidden elements; with `near` up to its text only."""
    lines = read_lines(tree, words, titles, AFTER if near else None)
    found = list(_find_candidates(lines, words, know_order(language)))
    far: dict[str, set[date]] = {}
    for one in found:
        if not one.is_near:
            far.setdefault(one.label, set()).add(one.day)
    found = [one for one in found if one.is_near or len(far[one.label]) == 1]  # several are those of other pages
    published = _pick(found, "published") or _pick(found, "")
    updated = _pick(found, "updated")
    if published and updated and published.day > updated.day and not published.label:
        published = None  # a date without a label that is later than the last change is another's
    return PageDates.of(published.day if published else None, updated.day if updated else None, VISIBLE_TEXT)


def know_order(language: str) -> bool | None:
    """Return whether the month comes first in the dates of a page by its `lang`; None where that is open."""
    name = language[:20].strip().lower().replace("_", "-")
    if not name or name == "en":
        return None
    return name.startswith("en-us")


def _pick(found: list[Candidate], label: str) -> Candidate | None:
    """Return the first date with a label, one near the title before the others."""
    return min((one for one in found if one.label == label), key=lambda one: (not one.is_near, one.place), default=None)


def _find_candidates(lines: list[Line], words: DateWords, month_first: bool | None) -> Iterator[Candidate]:
    marked = [number for number, line in enumerate(lines) if line.is_title]
    near = _find_near(lines, marked, is_list=_count_listed(lines, words) >= LISTED)
    for number, line in enumerate(lines):
        if line.is_other or (line.day is None and not _DIGIT.search(line.text)):
            continue
        before = lines[number - 1].text if number else ""
        is_near = number in near and not line.is_foot and not line.is_title
        read = read_line(line.text, words, before=before, month_first=month_first)
        if line.day is not None and len(line.text) <= AROUND:
            label = _label_element(line, read[0].label if read else "", before, words)
            shown = read[0].written.day if read and abs((read[0].written.day - line.day).days) <= 1 else line.day
            if label or is_near:
                yield Candidate(shown, label, is_near, number)
            continue
        for one in read:
            is_alone = not marked and len(line.text) - (one.written.end - one.written.start) <= ALONE
            if one.label or (one.is_plain and line.size <= LENGTH and (is_near or is_alone)):
                if not is_near and (one.written.is_short or not one.is_clear):
                    continue
                yield Candidate(one.written.day, one.label, is_near, number)


def _label_element(line: Line, label: str, before: str, words: DateWords) -> str:
    """Return the label of a <time>, as in "Updated 3 hours ago", else what its names say, except in a footer."""
    own = words.find_labels(line.text)
    label = label or ("" if not own else "updated" if own[0][2] else "published") or read_label_before(before, words)
    return label or ("" if line.is_foot else line.kind)


def _count_listed(lines: list[Line], words: DateWords) -> int:
    """Count the short lines with a date that stand under a heading."""
    under = count = 0
    for line in lines:
        under = UNDER if line.is_heading else under - 1
        is_dated = line.day is not None or (len(line.text) <= AROUND and words.may_hold_date(line.text))
        count += under > 0 and is_dated and not line.is_other
    return count


def _find_near(lines: list[Line], titles: list[int], *, is_list: bool) -> frozenset[int]:
    """Return the numbers of the lines near a title: few before it, and after it up to the text, or the first entry."""
    near: set[int] = set()
    for title in titles[:5]:
        near.update(range(max(0, title - BEFORE), title))
        passed = 0
        for number in range(title + 1, min(len(lines), title + 1 + AFTER)):
            if is_list and lines[number].is_heading:
                break
            near.add(number)
            passed += lines[number].size
            if passed > SUMMARY:
                break
    return frozenset(near)
