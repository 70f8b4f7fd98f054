"""Freshness F: four signals of how recent the page is, each from 0 to 100, and 50 without evidence."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache

from steelyard.components.arithmetic.numbers import clamp, mean, piecewise
from steelyard.components.base import Evidence, TextSpan, locate_evidence
from steelyard.text.characters import LETTERS, WORD, lower
from steelyard.text.document import Document
from steelyard.text.language import Language

NEUTRAL = 50.0
TERMS = (("date", 0.40), ("temporal", 0.20), ("refs", 0.25), ("updates", 0.15))
FORMULA = " + ".join(f"{weight:.2f}·{name}" for name, weight in TERMS)
AGE_POINTS = ((30, 100.0), (90, 90.0), (180, 80.0), (365, 60.0), (730, 40.0), (1825, 15.0), (1826, 5.0))
UPDATE_POINTS = (100.0, 60.0, 25.0, 75.0)
ONE_SIDED_UPDATE_POINTS = (100.0, 60.0, NEUTRAL, NEUTRAL)
MATTER_UPDATES = ("updated", "modified", "lastmod", "last_modified", "last_updated", "last_modified_at", "dateupdated")
MATTER_DATES = ("date", "published", "pubdate", "publishdate", "date_published", *MATTER_UPDATES)
_ISO = re.compile(r"\b((?:19|20)[0-9]{2})-([01][0-9])-([0-3][0-9])(?![0-9])", re.ASCII)
_DAY_FIRST = re.compile(r"\b([0-3]?[0-9])[./-] ?([01]?[0-9])[./-] ?((?:19|20)[0-9]{2})(?![0-9])", re.ASCII)
_YEAR = re.compile(r"\b((?:1[89]|20)[0-9]{2})\b", re.ASCII)


@dataclass(frozen=True, slots=True)
class Freshness:
    """F, its four terms, and the evidence for them."""

    value: float
    terms: dict[str, float]
    evidence: tuple[Evidence, ...] = ()
    is_dated: bool = False  # whether a date of the page is known, however old


def measure_freshness(
    doc: Document, as_of: date, *, dates: Iterable[date] = (), one_sided: bool = False, evidence: bool = True
) -> Freshness:
    """Measure F at the date `as_of`. Later dates are ignored; `dates` come from the metadata of an HTML page.

    With `one_sided` evidence of age costs nothing: removing a date never raises F.
    """
    labelled, updates, temporal = (doc.find(f"freshness_{kind}") for kind in ("date", "update", "temporal"))
    front_matter = _front_matter_dates(doc, MATTER_DATES)
    written = [parse_date(doc.text[m.start : m.end], doc.language) for m in labelled]
    known = [d for d in (*dates, *front_matter, *written) if d is not None and d <= as_of]
    cited = [(year, place) for year, place in _find_cited_years(doc) if year <= as_of.year]
    years = sorted({year for year, _ in cited})
    cited_points = [clamp(100.0 - 15 * (as_of.year - y), 0.0, 100.0) for y in years]
    terms = {
        "date": piecewise((as_of - max(known)).days, AGE_POINTS) if known else NEUTRAL,
        "temporal": 50 + 50 * min(1.0, 100 * len(temporal) / doc.n_words) if temporal else NEUTRAL,
        "refs": mean(cited_points) if years else NEUTRAL,
        "updates": _rate_updates(doc, as_of, UPDATE_POINTS),
    }
    if one_sided:
        terms["date"] = max(NEUTRAL, terms["date"])
        terms["refs"] = max([NEUTRAL, *cited_points[-1:]])  # the latest: an older one takes nothing away
        terms["updates"] = _rate_updates(doc, as_of, ONE_SIDED_UPDATE_POINTS)
    value = math.fsum(weight * terms[name] for name, weight in TERMS)
    places: list[TextSpan | Evidence] = [
        TextSpan(f"{m.family}:{doc.pattern_id(m)}", m.start, m.end) for m in (*labelled, *updates, *temporal)
    ]
    places += [place for _, place in cited]
    if front_matter:
        start, end = doc.source.to_file(0, doc.source.start)
        places.append(Evidence(start, end, doc.source.line(start), "front-matter"))
    return Freshness(round(value, 9), terms, locate_evidence(doc, places) if evidence else (), bool(known))


def _find_cited_years(doc: Document) -> list[tuple[int, TextSpan]]:
    """Return the years that begin inside a citation or within twelve characters after it, with their places."""
    return [
        (int(year[1]), TextSpan("cited-year", *year.span(1)))
        for match in doc.find("citation")
        for year in _YEAR.finditer(doc.text, match.start, match.end + 24)
        if year.start() <= match.end + 12
    ]


def _rate_updates(doc: Document, as_of: date, points: Sequence[float]) -> float:
    """Rate the latest update: within a year, within three, before, or mentioned without a date."""
    recent, older, oldest, undated_points = points
    dated = _front_matter_dates(doc, MATTER_UPDATES)
    undated = False
    for match in doc.find("freshness_update"):
        label_end = _label_end_pattern(doc.language.lists["label_ends"])  # no date can follow it
        text = label_end.split(doc.text[match.end - 1 : match.end + 40], maxsplit=1)[0]
        updated = parse_date(text, doc.language, year_alone=True)
        if updated is None:
            undated = True
        else:
            dated.append(updated)
    ages = [(as_of - d).days for d in dated if d <= as_of]
    if not ages:
        return undated_points if undated else NEUTRAL
    return recent if min(ages) <= 365 else oldest if min(ages) > 3 * 365 else older


def _front_matter_dates(doc: Document, keys: Iterable[str]) -> list[date]:
    matter = doc.source.front_matter
    return [d for key in keys if key in matter and (d := parse_date(matter[key], doc.language)) is not None]


def parse_date(text: str, language: Language, *, year_alone: bool = False) -> date | None:
    """Return the date in a short text, or None.

    The date is an ISO date, or the name of a month with a year and perhaps a day. With `year_alone` a bare year
    counts too, as its first day.
    """
    if iso := _ISO.search(text):
        return _valid_date(int(iso[1]), int(iso[2]), int(iso[3]))
    if language.day_first and (numbers := _DAY_FIRST.search(text)):
        return _valid_date(int(numbers[3]), int(numbers[2]), int(numbers[1]))
    year = _YEAR.search(text)
    month = next((m for w in LETTERS.findall(lower(text)) if (m := language.months.get(w))), None)
    if year is None or (month is None and not year_alone):
        return None
    days = _day_pattern(language.lists["ordinals"]).findall(text.replace(year[1], " "))
    day = next((int(d) for d in days if 1 <= int(d) <= 31), 1)
    return _valid_date(int(year[1]), month or 1, day if month else 1)


@cache
def _day_pattern(ordinals: frozenset[str]) -> re.Pattern[str]:
    return re.compile(rf"\b([0-3]?[0-9])(?:{'|'.join(sorted(ordinals))})?\b", re.ASCII)


@cache
def _label_end_pattern(words: frozenset[str]) -> re.Pattern[str]:
    return re.compile(rf"[\n;|]|(?<!{WORD})(?:{'|'.join(sorted(words))})(?!{WORD})")


def _valid_date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
