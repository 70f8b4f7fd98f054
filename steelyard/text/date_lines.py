"""What a short line says about a date: of publication, of change, or of something else."""

from __future__ import annotations

import re
from typing import NamedTuple

from steelyard.text.dates import DateWords, Written

MAX_LINE = 300  # characters of a line that are read
AROUND = 60  # characters that may stand around a date in a line about it: an author, a place, a time
WORDS_BEFORE, WORDS_AFTER = 3, 2  # in lower case: "by ann, on tuesday", "at 10:00 by"
BETWEEN = 50  # characters between a label and its date: a weekday, a time, an author
_TIME = re.compile(r"[0-9]{1,2}[:.h][0-9]{2}(?:[:.][0-9]{2})?")
# Where a message begins: "Paris, 3 March 2020. Today", "(12.11.2021) Wir", "29.11.2022 – Mehrfach".
_PLACE = re.compile(r"(?:[^\W\d_][^.!?:;]{1,48}[,(–—-] ?\(?)?\(?")
_MESSAGE = re.compile(r"\)?[.,]? ?[–—:-]{1,2} |\)[.,]? |[.] (?=[^\W\d_a-z])")
_BEGINNING = re.compile(r"(?:[^\W\d_][^\W\d_A-Z]*(?: [a-zß-öø-ÿ]+){0,4} )?|.*[|(/•·–—,:-] ?", re.DOTALL)
_LOWER = re.compile(r"(?<![^\s(])[a-zß-öø-ÿ][^\W\d_]*")
_ACCOUNT = re.compile(r"\(@\w")  # whose message is quoted, with its date
_WORD_END = re.compile(r"[.!?](?=\s)")


class DateLine(NamedTuple):
    """A date that a line is about."""

    written: Written
    label: str  # "published", "updated", or "" where there is none
    begins: bool  # whether the label or the date begins the line
    is_clear: bool  # whether the label begins what is said, as in "By Ann | Updated 3 March 2020"
    is_plain: bool  # whether only names and few words stand around the date: no sentence


def read_line(line: str, words: DateWords, *, before: str = "", month_first: bool | None = None) -> list[DateLine]:
    """Return the dates that a line is about, at most four; none for a sentence that only mentions a date.

    Args:
        line: The line; what is behind its first 300 characters is not read.
        words: The words of all languages.
        before: The line before, which may be the label.
        month_first: Whether 3/6/2019 is a day of March, if that is known.
    """
    line = line[:MAX_LINE]
    found = list(words.find_dates(line, month_first=False if month_first is None else month_first))[:4]
    if not found:
        return []
    labels = words.find_labels(line)
    if month_first is None and not any(line[start:end].lower() in words.day_first for start, end, _ in labels):
        found = list(words.find_dates(line))[:4]  # "Publicado: 3/6/2019" is not English, a date without a label may be
    if not found or words.is_about_other(line) or _ACCOUNT.search(line):
        return []
    lone = read_label_before(before, words)
    result: list[DateLine] = []
    end = 0
    for index, written in enumerate(found):
        label = next((one for one in reversed(labels) if end <= one[0] and one[1] <= written.start), None)
        gap = line[label[1] : written.start] if label else ""
        if label and (len(gap) > BETWEEN or _WORD_END.search(gap)):
            label = None
        if label is None and index == len(found) - 1:  # "3 March 2020 - published by Ann"
            label = next((one for one in labels if written.end <= one[0] <= written.end + 4), None)
        name = ("updated" if label[2] else "published") if label else lone if index == 0 else ""
        start = min(label[0], written.start) if label else written.start
        result.append(
            DateLine(
                written,
                name,
                start == 0,
                bool(_BEGINNING.fullmatch(line, 0, start)),
                _is_plain(line, start, written.end, words),
            )
        )
        end = written.end
    around = _TIME.sub("", line[: found[0].start] + line[found[-1].end :])
    is_short = len(around) <= AROUND and not (_WORD_END.search(around) and len(around) > AROUND / 2)
    return result if is_short else [one for one in result[:1] if one.label and one.begins]


def _is_plain(line: str, start: int, end: int, words: DateWords) -> bool:
    """Return whether few words stand around a date, and none that makes it the date of a thing."""
    before = line[:start].split()[-2:]
    if any(word.lower() in words.of and (word is before[-1] or before[-1].islower()) for word in before):
        return False  # "the report of 3 March 2020", "la loi du mardi 3 mars 2020"
    return len(_LOWER.findall(line, 0, start)) <= WORDS_BEFORE and len(_LOWER.findall(line, end)) <= WORDS_AFTER


def read_label_before(line: str, words: DateWords) -> str:
    """Return what a line announces that ends with a label, such as "Updated:"; its last sentence counts."""
    line = _WORD_END.split(line[-2 * AROUND :].rstrip(" :|-–—•·"))[-1].strip()
    if len(line) > AROUND:
        return ""
    end = next(
        (one for one in words.find_labels(line) if len(line) - one[1] <= 3 and _BEGINNING.fullmatch(line, 0, one[0])),
        None,
    )
    return "" if end is None else "updated" if end[2] else "published"


def read_dateline(line: str, words: DateWords, *, month_first: bool | None = None) -> Written | None:
    """Return the date that a message begins with, after the place it comes from."""
    line = line[:MAX_LINE]
    written = next(words.find_dates(line, month_first=month_first), None)
    if written is None or (not line[:1].isupper() and written.start > 1) or words.find_labels(line[: written.start]):
        return None
    is_first = _PLACE.fullmatch(line, 0, written.start) and _MESSAGE.match(line, written.end)
    return written if is_first else None
