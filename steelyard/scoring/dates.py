"""Dates written in words or digits, read with the month names of a language."""

from __future__ import annotations

import re
from datetime import date
from functools import cache

from steelyard.text.document import Language

_ISO = re.compile(r"\b((?:19|20)[0-9]{2})-([01][0-9])-([0-3][0-9])(?![0-9])", re.ASCII)
YEAR = re.compile(r"\b((?:1[89]|20)[0-9]{2})\b", re.ASCII)
_WORD = re.compile(r"[^\W\d_]+")


def parse_date(text: str, language: Language, *, year_alone: bool = False) -> date | None:
    """Return the date in a short text: ISO, or a month's name with its year and perhaps its day; None without one.

    With `year_alone` a bare year counts as its first day.
    """
    if iso := _ISO.search(text):
        return _date(int(iso[1]), int(iso[2]), int(iso[3]))
    year = YEAR.search(text)
    month = next((m for w in _WORD.findall(text.lower()) if (m := language.months.get(w))), None)
    if year is None or (month is None and not year_alone):
        return None
    days = _day(language.lists["ordinals"]).findall(text.replace(year[1], " "))
    day = next((int(d) for d in days if 1 <= int(d) <= 31), 1)
    return _date(int(year[1]), month or 1, day if month else 1)


def date_part(text: str, language: Language) -> str:
    """Return what follows a label such as "updated", up to where it can be no date any more."""
    return _label_end(language.lists["label_ends"]).split(text, maxsplit=1)[0]


@cache
def _day(ordinals: frozenset[str]) -> re.Pattern[str]:
    return re.compile(rf"\b([0-3]?[0-9])(?:{'|'.join(sorted(ordinals))})?\b", re.ASCII)


@cache
def _label_end(words: frozenset[str]) -> re.Pattern[str]:
    return re.compile(rf"[\n;|]|\b(?:{'|'.join(sorted(words))})\b")


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
