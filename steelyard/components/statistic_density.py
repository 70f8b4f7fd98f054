"""statistic_density: how much numeric evidence the page carries per 100 words."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from steelyard.components.base import Component, Counts, DegenerateCase, Parts, select_distinct, select_longest
from steelyard.text.document import Document, Match

_YEAR = re.compile(r"\b(?:1[89][0-9]{2}|20[0-9]{2})\b", re.ASCII)


class StatisticDensity(Component):
    """b(s) for s unique statistics per 100 words, plus 10 points per dated one, at most 25."""

    label = "statistics"
    spec = "app:statdensity"
    formula = "min(100, b(100·S/W) + min(25, 10·D))"
    symbols = ("S", "W", "D")
    degenerate = (DegenerateCase("fewer than 50 words", lambda doc: doc.evidence_words < 50, 0.0),)

    def count(self, doc: Document) -> Counts:
        statistics = select_longest(doc.find("statistic"))
        unique = select_distinct(doc, statistics)
        return Counts({"S": len(unique), "W": doc.evidence_words, "D": count_dated(doc, statistics)}, unique)

    def value(self, parts: Parts) -> float:
        return min(100.0, density_points(100 * parts["S"] / parts["W"]) + min(25.0, 10.0 * int(parts["D"])))


def density_points(s: float) -> float:
    """Compute b(s), the paper's piecewise line."""
    if s >= 1.5:
        return 100.0
    if s >= 0.8:
        return 50 + 71.4 * (s - 0.8)
    return 62.5 * s


def count_dated(doc: Document, statistics: list[Match]) -> int:
    """Return D: the number of distinct sentences with a statistic and, outside it, a year."""
    starts, ends = [m.start for m in statistics], [m.end for m in statistics]  # sorted, and disjoint
    dated: set[str] = set()
    for segment in dict.fromkeys(doc.segment_at(start) for start in starts):
        start, end = doc.segments[segment]
        text = doc.lowered[start:end]
        outside = any(
            bisect_right(ends, start + year.start()) == bisect_left(starts, start + year.end())
            for year in _YEAR.finditer(text)
        )
        if outside:
            dated.add(text)
    return len(dated)
