"""Read dates written in words or digits, with the month names of a language."""

from __future__ import annotations

import re
from datetime import date
from functools import cache

from steelyard.text.language import Language

_ISO = re.compile(r"\b((?:19|20)[0-9]{2})-([01][0-9])-([0-3][0-9])(?![0-9])", re.ASCII)
YEAR = re.compile(r"\b((?:1[89]|20)[0-9]{2})\b", re.ASCII)
_WORD = re.compile(r"[^\W\d_]+")


def parse_date(text: str, language: Language, *, year_alone: bool = False) -> date | None:
    """Return the date in a short text, or None.

    The date is an ISO date, or the name of a month with a year and perhaps a day. With `year_alone` a bare year
    counts too, as its first day.
    """
    if iso := _ISO.search(text):
        return _valid_date(int(iso[1]), int(iso[2]), int(iso[3]))
    year = YEAR.search(text)
    month = next((m for w in _WORD.findall(text.lower()) if (m := language.months.get(w))), None)
    if year is None or (month is None and not year_alone):
        return None
    days = _day_pattern(language.lists["ordinals"]).findall(text.replace(year[1], " "))
    day = next((int(d) for d in days if 1 <= int(d) <= 31), 1)
    return _valid_date(int(year[1]), month or 1, day if month else 1)


def cut_at_label_end(text: str, language: Language) -> str:
    """Cut the text after a label such as "updated" where a date can no longer follow."""
    return _label_end_pattern(language.lists["label_ends"]).split(text, maxsplit=1)[0]


@cache
def _day_pattern(ordinals: frozenset[str]) -> re.Pattern[str]:
    return re.compile(rf"\b([0-3]?[0-9])(?:{'|'.join(sorted(ordinals))})?\b", re.ASCII)


@cache
def _label_end_pattern(words: frozenset[str]) -> re.Pattern[str]:
    return re.compile(rf"[\n;|]|\b(?:{'|'.join(sorted(words))})\b")


def _valid_date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
