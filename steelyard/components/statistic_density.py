"""statistic_density: how much numeric evidence the page carries per 100 words."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from steelyard.components.base import Component, Counted, Degenerate, Parts, distinct, identified, longest
from steelyard.text.document import Document, Match

_YEAR = re.compile(r"\b(?:1[89][0-9]{2}|20[0-9]{2})\b", re.ASCII)


class StatisticDensity(Component):
    """b(s) for s unique statistics per 100 words, plus 10 points per dated one, at most 25."""

    spec = "app:statdensity"
    formula = "min(100, b(100·S/W) + min(25, 10·D))"
    symbols = ("S", "W", "D")
    degenerate = (Degenerate("fewer than 50 words", lambda doc: doc.n_words < 50, 0.0),)

    def count(self, doc: Document) -> Counted:
        found = longest(doc.find("statistic"))
        unique = distinct(doc, found)
        return Counted({"S": len(unique), "W": doc.n_words, "D": dated(doc, found)}, identified(doc, unique))

    def value(self, parts: Parts) -> float:
        return min(100.0, base(100 * parts["S"] / parts["W"]) + min(25.0, 10.0 * int(parts["D"])))


def base(s: float) -> float:
    """b(s), the paper's piecewise line."""
    if s >= 1.5:
        return 100.0
    if s >= 0.8:
        return 50 + 71.4 * (s - 0.8)
    return 62.5 * s


def dated(doc: Document, statistics: list[Match]) -> int:
    """D: distinct sentences that hold a statistic and, outside it, a year."""
    starts, ends = [m.start for m in statistics], [m.end for m in statistics]  # sorted, and disjoint
    count = 0
    texts: set[str] = set()
    for segment in dict.fromkeys(doc.segment_at(start) for start in starts):
        start, end = doc.segments[segment]
        text = doc.lowered[start:end]
        outside = any(
            bisect_right(ends, start + year.start()) == bisect_left(starts, start + year.end())
            for year in _YEAR.finditer(text)
        )
        if outside and text not in texts:
            texts.add(text)
            count += 1
    return count
