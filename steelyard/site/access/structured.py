"""Whether a page's structured data parses, and whether its title and dates are those that a visitor sees."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from itertools import islice
from typing import Any

from steelyard.site.access.tags import MAX_JSON
from steelyard.text.date_lines import read_line
from steelyard.text.dates import DateWords
from steelyard.text.html.declared_dates import Declared, list_described

MIN_SHARED = 0.6  # of the words of a title, in what is shown
MAX_AROUND = 6  # words that a block may have besides those of a title, and as many again
MIN_WORDS = 2  # of a title that is compared
MAX_BLOCK = 300  # characters of a block that may be a title or a line with a date
MAX_BLOCKS = 2_000
MAX_DESCRIBED = 20  # things that a page says it is
_DAY = timedelta(days=1)  # a declared hour is often that of Greenwich
_WORD = re.compile(r"\w+")
_OWN = ("article", "posting", "report", "page")  # endings of the types that describe the page itself


def check_structured(
    scripts: Sequence[str], title: str | None, shown: Sequence[str], words: DateWords
) -> Iterator[tuple[str, str]]:
    """Yield the checks that apply, each with what is wrong; an empty text where nothing is.

    Args:
        scripts: The texts of its JSON-LD.
        title: The page's title.
        shown: The blocks that a visitor sees.
        words: The words that dates are written with.
    """
    scripts = [script for script in scripts if script.strip() and len(script) <= MAX_JSON]
    if not scripts:
        return
    values, faults = _parse(scripts)
    yield "json_ld", "; ".join(faults[:3])
    every = (one for value in values for one in list_described(value, words) if one.kind.endswith(_OWN))
    described = list(islice(every, MAX_DESCRIBED))
    blocks = [block for block in shown[:MAX_BLOCKS] if len(block) <= MAX_BLOCK]
    titles = [one.title for one in described if len(_list_words(one.title)) >= MIN_WORDS]
    if titles and blocks:
        yield "title", "" if _is_shown(titles, title or "", blocks) else f"“{titles[0][:100]}” is not shown as a title"
    dates = list(_compare_dates(described, blocks, words))
    if dates:
        yield "date", "; ".join(filter(None, dates))


def _parse(scripts: Iterable[str]) -> tuple[list[Any], list[str]]:
    """Return the values of the scripts, and why others do not parse; line breaks in strings are read all the same."""
    values, faults = [], []
    for number, script in enumerate(scripts, start=1):
        for strict in (True, False):
            try:
                values.append(json.loads(script, strict=strict))
                break
            except json.JSONDecodeError as error:
                fault = f"{error.msg} in line {error.lineno}, column {error.colno}"
            except (ValueError, RecursionError):
                fault = "nested too deep, or a number too long"
            if strict:
                faults.append(f"block {number}: {fault}")
    return values, faults


def _list_words(text: str) -> set[str]:
    return set(_WORD.findall(html.unescape(text[:1_000]).casefold()))


def _is_shown(titles: Iterable[str], title: str, blocks: Sequence[str]) -> bool:
    """Return whether one of the titles is, in most of its words, that of the page or one of the blocks."""
    own = _list_words(title)
    shown = [block for block in map(_list_words, blocks) if block]
    for written in map(_list_words, titles):
        if len(own) >= MIN_WORDS and len(written & own) >= MIN_SHARED * min(len(own), len(written)):
            return True
        most = 2 * len(written) + MAX_AROUND
        if any(len(block) <= most and len(written & block) >= MIN_SHARED * len(written) for block in shown):
            return True
    return False


def _compare_dates(described: Sequence[Declared], blocks: Sequence[str], words: DateWords) -> Iterator[str]:
    """Yield for each kind of date that is both declared and shown with its label what differs, or an empty text."""
    shown: dict[str, set[date]] = {"published": set(), "updated": set()}
    for number, block in enumerate(blocks):
        if words.may_hold_date(block):
            for line in read_line(block, words, before=blocks[number - 1] if number else ""):
                if line.label in shown and not line.written.is_short:
                    shown[line.label].add(line.written.day)
    for label, days in shown.items():
        declared = sorted({day for one in described if (day := getattr(one, label)) is not None})
        if not declared or len(days) != 1:  # several are those of other pages
            continue
        (day,) = days
        is_same = any(abs(day - other) <= _DAY for other in declared)
        yield "" if is_same else f"{label} {declared[0]} in structured data, {day} on the page"
