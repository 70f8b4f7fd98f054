"""When a page was published and updated, and where it says so; the dates that are written in a text or an address."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property
from typing import NamedTuple
from urllib.parse import unquote

FRONT_MATTER, META, STRUCTURED_DATA = "front matter", "meta", "structured data"
VISIBLE_TEXT, URL = "visible text", "URL"
SOURCES = (FRONT_MATTER, META, STRUCTURED_DATA, VISIBLE_TEXT, URL)

EARLIEST, LATEST = 1900, 2099  # years; declarations such as 0001-01-01 stand for no date
MAX_ADDRESS = 2_000  # characters of an address that are read
_YEAR = "(?:19|20)[0-9]{2}"
# No more digits follow, unless the time stands without a blank, as where the page shows it in an element of its own.
_YEAR_END = "(?![0-9])|(?=[0-9]{1,2}:[0-9]{2})"
# A year with a number before it or behind, which is what every date has and few of the years in prose.
_HINT = re.compile(rf"[0-9](?:[^0-9]{{1,20}}{_YEAR}|[0-9]{{3}}(?:[-/.]|年 ?)[0-9]|[./-][0-9]{{1,2}}[./-][0-9]{{2}})")
_ADDRESS = re.compile(
    rf"(?<![0-9])(?:(?P<y>{_YEAR})(?P<m>[01][0-9])(?P<d>[0-3][0-9])(?:[0-2][0-9][0-5][0-9](?:[0-5][0-9])?)?(?![0-9])"
    rf"|(?P<y2>{_YEAR})[/_-](?P<m2>[01]?[0-9]|[a-z]{{3}})[/_-](?P<d2>[0-3]?[0-9])(?![0-9])"
    rf"|(?P<a3>[0-3][0-9])-(?P<b3>[0-3][0-9])-(?P<y3>{_YEAR})(?![0-9]))"
)
_ENGLISH_MONTHS = dict(zip("jan feb mar apr may jun jul aug sep oct nov dec".split(), range(1, 13), strict=True))


@dataclass(frozen=True, slots=True)
class PageDates:
    """When the page was published and last updated, as it says itself.

    Attributes:
        published: The day of publication; None where the page names none.
        updated: The day of the last change, where it is later than that of publication.
        source: Where the day of publication stands, else that of the change: one of SOURCES; None without a date.
    """

    published: date | None = None
    updated: date | None = None
    source: str | None = None

    @classmethod
    def of(cls, published: date | None, updated: date | None, source: str) -> PageDates:
        """Return the dates without a change that is no later than the publication."""
        if published and updated and updated <= published:
            updated = None
        return cls(published, updated, source) if published or updated else cls()

    @property
    def known(self) -> tuple[date, ...]:
        """The dates there are, the earlier one first."""
        return tuple(day for day in (self.published, self.updated) if day is not None)

    @classmethod
    def from_dict(cls, values: dict[str, str | None]) -> PageDates:
        """Return the dates from how they stand in JSON."""
        published, updated = values["published"], values["updated"]
        return cls(
            date.fromisoformat(published) if published else None,
            date.fromisoformat(updated) if updated else None,
            values["from"],
        )

    def to_dict(self) -> dict[str, str | None]:
        """Return the dates as they stand in JSON."""
        return {
            "published": self.published.isoformat() if self.published else None,
            "updated": self.updated.isoformat() if self.updated else None,
            "from": self.source,
        }


UNDATED = PageDates()


class Written(NamedTuple):
    """A date that is written in a text, with its span."""

    start: int
    end: int
    day: date
    is_short: bool = False  # its year has two digits


@dataclass(frozen=True)
class DateWords:
    """The words that dates are written and labelled with, in all languages together, lower case.

    Attributes:
        months: The names of the months with their numbers.
        published: Labels of a day of publication.
        updated: Labels of a day of change.
        others: Words that make a date one of something else.
        of: Words before a date that make it one of the thing named before them.
        day_first: Labels in languages in which the day comes before the month.
    """

    months: tuple[tuple[str, int], ...] = tuple(_ENGLISH_MONTHS.items())
    published: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    of: tuple[str, ...] = ()
    day_first: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Return the words as text, for another process."""
        return json.dumps([self.months, self.published, self.updated, self.others, self.of, self.day_first])

    @staticmethod
    @cache
    def from_json(text: str) -> DateWords:
        """Return the words from their text, the same object for the same text."""
        months, *lists = json.loads(text)
        return DateWords(tuple((name, number) for name, number in months), *map(tuple, lists))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return dict(self.months)

    @cached_property
    def _date(self) -> re.Pattern[str]:
        month = "|".join(sorted((re.escape(name) for name, _ in self.months), key=len, reverse=True))
        return re.compile(
            rf"""
            (?<![0-9.,/-]) (?:
              (?P<y1>{_YEAR}) (?:[-/.]|年\ ?) (?P<m1>[01]?[0-9]) (?:[-/.]|月\ ?) (?P<d1>[0-3]?[0-9]) (?![0-9])
            | (?P<d2>[0-3]?[0-9]) (?:st|nd|rd|th|er|[.ºª°])? [ ]{{0,2}} (?:de[ ]|of[ ])? (?P<m2>{month}) (?![^\W\d_])
              [.]?,?[ ]? (?:del?[ ])? (?P<y2>{_YEAR}) (?:{_YEAR_END})
            | (?P<a3>[0-3]?[0-9]) [./-] (?P<b3>[0-3]?[0-9]) [./-] (?P<y3>{_YEAR}|[0-9]{{2}}) (?![0-9./-]*[0-9])
            )
            | (?<![^\W\d_]) (?P<m4>{month}) (?![^\W\d_]) [.]?[ ]? (?P<d4>[0-3]?[0-9]) (?:st|nd|rd|th)?
              (?:,[ ]?|[ ]) (?:[0-9]{{1,2}}:[0-9]{{2}},?[ ])? (?P<y4>{_YEAR}) (?:{_YEAR_END})
            """,
            re.VERBOSE | re.IGNORECASE,
        )

    @cached_property
    def _labels(self) -> re.Pattern[str]:
        words = sorted({*self.published, *self.updated}, key=len, reverse=True) or ["(?!)"]
        return re.compile(rf"(?<![^\W_])(?:{'|'.join(words)})(?![^\W_])", re.IGNORECASE)

    @cached_property
    def _others(self) -> re.Pattern[str]:
        words = sorted(self.others, key=len, reverse=True) or ["(?!)"]
        return re.compile(rf"(?<![^\W_])(?:{'|'.join(words)})(?![^\W_])|©", re.IGNORECASE)

    def find_dates(self, text: str, *, month_first: bool | None = None) -> Iterator[Written]:
        """Yield the dates in a text of bounded length, in their order.

        With `month_first` None a date such as 3/6/2019, of which nobody knows the order, is left out.
        """
        for match in self._match_near_years(text):
            found = match.groupdict()
            if found["y1"]:
                day = make_date(found["y1"], found["m1"], found["d1"])
            elif found["y2"]:
                day = make_date(found["y2"], self._numbers[found["m2"].lower()], found["d2"])
            elif found["y4"]:
                day = make_date(found["y4"], self._numbers[found["m4"].lower()], found["d4"])
            else:
                if len(found["y3"]) == 2 and len(f"{found['a3']}{found['b3']}") < 4 and "/" not in match[0]:
                    continue  # as in the number of a version
                day = order_date(found["a3"], found["b3"], found["y3"], month_first=month_first)
            if day is not None:
                yield Written(match.start(), match.end(), day, len(found["y3"] or "year") == 2)

    def _match_near_years(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the matches; only the places around a year are searched, which in prose are few."""
        end = 0
        for start, stop in _join_spans([(m.start() - 20, m.end() + 30) for m in _HINT.finditer(text)]):
            for match in self._date.finditer(text, max(start, end), stop):
                yield match
                end = match.end()

    def may_hold_date(self, text: str) -> bool:
        """Tell quickly that a text has no date."""
        return bool(_HINT.search(text))

    def find_labels(self, text: str) -> list[tuple[int, int, bool]]:
        """Return the spans of the labels in a text of bounded length, each with whether it is one of a change."""
        return [(m.start(), m.end(), m[0].lower() in self.updated) for m in self._labels.finditer(text)]

    def is_about_other(self, text: str) -> bool:
        """Tell whether a word in the text makes its dates those of something else."""
        return bool(self._others.search(text))


def _join_spans(spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the spans, which are in order, with those that touch made one."""
    start, stop = spans[0] if spans else (0, 0)
    for first, last in spans:
        if first > stop:
            yield max(0, start), stop
            start = first
        stop = last
    if spans:
        yield max(0, start), stop


def make_date(year: str, month: str | int, day: str) -> date | None:
    """Return the day, or None where the calendar has none or it is out of range."""
    try:
        return date(int(year), int(month), int(day)) if EARLIEST <= int(year) <= LATEST else None
    except ValueError:
        return None


def order_date(first: str, second: str, year: str, *, month_first: bool | None) -> date | None:
    """Return the day of two numbers and a year of four or two digits, or None where their order is not known."""
    if len(year) == 2:
        year = f"20{year}" if int(year) < 70 else f"19{year}"
    if first == second or int(first) > 12 or month_first is False:
        return make_date(year, second, first)
    return make_date(year, first, second) if int(second) > 12 or month_first else None


def find_address_date(address: str | None, *, month_first: bool | None = None) -> date | None:
    """Return the day in the path of an address, or None; a year and a month are no day."""
    path = unquote((address or "")[:MAX_ADDRESS]).partition("?")[0].partition("#")[0]
    path = path.partition("://")[2].partition("/")[2] if "://" in path else path
    for found in _ADDRESS.finditer(path.lower()):
        if found["y"]:
            day = make_date(found["y"], found["m"], found["d"])
        elif found["y2"]:
            month = _ENGLISH_MONTHS.get(found["m2"], found["m2"])
            day = make_date(found["y2"], month, found["d2"])
        else:
            day = order_date(found["a3"], found["b3"], found["y3"], month_first=month_first)
        if day is not None and day.year >= 1990:  # nobody published on the web before
            return day
    return None
