"""Freshness F: four bounded signals of how recent the page is, 50 each without evidence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from steelyard.components.arithmetic.numbers import clamp, mean, piecewise
from steelyard.components.base import Evidence, Found, located
from steelyard.scoring.dates import YEAR, date_part, parse_date
from steelyard.text.document import Document

NEUTRAL = 50.0
TERMS = (("date", 0.40), ("temporal", 0.20), ("refs", 0.25), ("updates", 0.15))
AGE_POINTS = ((30, 100.0), (90, 90.0), (180, 80.0), (365, 60.0), (730, 40.0), (1825, 15.0), (1826, 5.0))
MATTER_UPDATES = ("updated", "modified", "lastmod", "last_modified", "last_updated", "last_modified_at", "dateupdated")
MATTER_DATES = ("date", "published", "pubdate", "publishdate", "date_published", *MATTER_UPDATES)


@dataclass(frozen=True, slots=True)
class Freshness:
    """F, its four terms, and the evidence for them."""

    value: float
    terms: dict[str, float]
    evidence: tuple[Evidence, ...] = ()


def freshness(doc: Document, as_of: date, *, dates: Iterable[date] = (), evidence: bool = True) -> Freshness:
    """F at `as_of`; `dates` are those of the page's metadata (HTML). Dates after `as_of` are ignored."""
    labelled = doc.find("freshness_date")
    updates = doc.find("freshness_update")
    temporal = doc.find("freshness_temporal")
    cited = [d for d in cited_years(doc) if d <= as_of.year]
    known = [*dates, *matter_dates(doc, MATTER_DATES)]
    known += [d for m in labelled if (d := parse_date(doc.text[m.start : m.end], doc.language)) is not None]
    known = [d for d in known if d <= as_of]
    terms = {
        "date": piecewise((as_of - max(known)).days, AGE_POINTS) if known else NEUTRAL,
        "temporal": 50 + 50 * min(1.0, 100 * len(temporal) / doc.n_words) if temporal else NEUTRAL,
        "refs": mean([clamp(100 - 15 * (as_of.year - y), 0.0, 100.0) for y in cited]) if cited else NEUTRAL,
        "updates": _updates(doc, as_of),
    }
    value = math.fsum(weight * terms[name] for name, weight in TERMS)
    found: list[Found | Evidence] = [
        Found(f"{m.family}:{doc.pattern_id(m)}", m.start, m.end) for m in (*labelled, *updates, *temporal)
    ]
    found += [place for year, place in _cited(doc) if year <= as_of.year]
    if matter_dates(doc, MATTER_DATES):
        found.append(Evidence(0, doc.source.start, 1, "front-matter"))
    return Freshness(round(value, 9), terms, located(doc, found) if evidence else ())


def cited_years(doc: Document) -> Sequence[int]:
    """The distinct years that stand inside or right after a citation, sorted."""
    return sorted({year for year, _ in _cited(doc)})


def _cited(doc: Document) -> list[tuple[int, Found]]:
    """Years that begin inside a citation or within twelve characters after it, with their places."""
    found = []
    for match in doc.find("citation"):
        for year in YEAR.finditer(doc.text, match.start, match.end + 24):
            if year.start() <= match.end + 12:
                found.append((int(year[1]), Found("cited-year", *year.span(1))))
    return found


def _updates(doc: Document, as_of: date) -> float:
    """Dated within twelve months 100, over three years 25, between 60; said without a date 75."""
    dated = matter_dates(doc, MATTER_UPDATES)
    undated = False
    for match in doc.find("freshness_update"):
        after = date_part(doc.text[match.end - 1 : match.end + 40], doc.language)
        found = parse_date(after, doc.language, year_alone=True)
        undated = undated or found is None
        dated += [found] if found is not None else []
    dated = [d for d in dated if d <= as_of]
    if not dated:
        return 75.0 if undated else NEUTRAL
    age = (as_of - max(dated)).days
    return 100.0 if age <= 365 else 25.0 if age > 3 * 365 else 60.0


def matter_dates(doc: Document, keys: Iterable[str]) -> list[date]:
    """Dates of the front matter under these keys."""
    matter = doc.source.matter
    return [d for key in keys if key in matter and (d := parse_date(matter[key], doc.language)) is not None]
