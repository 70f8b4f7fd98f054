"""What one change would add: the components' own formulas with a count raised by one. Nothing is estimated."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from steelyard.components import COMPONENTS
from steelyard.components.citation_f1 import MOST as MOST_CITATIONS
from steelyard.components.quotable_density import MOST as MOST_QUOTABLE
from steelyard.components.self_containment import paragraphs
from steelyard.scoring.freshness import NEUTRAL, TERMS
from steelyard.scoring.guards import CAPS, cap
from steelyard.scoring.page import FRESHNESS_SHARE, PageScore, blend, contributions
from steelyard.support.wording import counted
from steelyard.text.document import Document
from steelyard.text.lines import Span

ADDED_WORDS = 25  # the stated length of the one sentence that is added
ATTRIBUTION = 0.7  # confidence of an attribution, for one more citation
WORTH_SHOWING = 0.05  # points

_BY_NAME = {c.name: c for c in COMPONENTS}


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A change, the component it moves, what the score would gain, and where to make it (a line of the source)."""

    component: str
    action: str
    gain: float
    line: int


def suggest(page: PageScore) -> list[Suggestion]:
    """Every change that can be computed, the most valuable first; none while a guard holds."""
    if page.guard is not None or page.document is None:
        return []
    found = [*_additions(page, page.document), *_repairs(page, page.document), *_frame(page, page.document)]
    return sorted((m for m in found if m.gain >= WORTH_SHOWING), key=lambda m: (-m.gain, m.component, m.line))


_ADDED: dict[str, tuple[dict[str, dict[str, int]], int]] = {
    "quotation": ({"quotable_density": {"q": 1}}, ADDED_WORDS),
    "statistic": ({"statistic_density": {"S": 1}}, ADDED_WORDS),
    "dated statistic": ({"statistic_density": {"S": 1, "D": 1}}, ADDED_WORDS),
    "citation": ({"citation_f1": {"C": 1}}, ADDED_WORDS),
    "named entity": ({"entity_density": {"E": 1}}, 0),
}


def one_more(page: PageScore, *, lift_cap: bool = True) -> dict[str, float]:
    """What one more quotation, statistic, dated statistic, citation or entity would add to the score, in points.

    With `lift_cap` the added words count towards the cap, as they would; without it the gain is the
    component's own, and the cap is a change of its own.
    """
    return {
        name: _gain(page, raised, words, page.words + words if lift_cap else page.words)
        for name, (raised, words) in _ADDED.items()
    }


def _gain(page: PageScore, raised: Mapping[str, Mapping[str, int]], words: int, length: int) -> float:
    """The score with some counts raised, `words` more words and the cap of `length` words, less the score as it is."""
    values = {}
    for name, reading in page.readings.items():
        parts = _parts(name, dict(reading.parts), raised.get(name, {}), words)
        if parts is None or (reading.degenerate is not None and name not in raised):
            values[name] = reading.value
        else:
            values[name] = min(100.0, max(0.0, _BY_NAME[name].value(parts)))
    content = math.fsum(contributions(values, page.weights).values())
    return _capped(content, page.freshness, length) - page.score


def _parts(name: str, parts: dict[str, Any], raised: Mapping[str, int], words: int) -> dict[str, Any] | None:
    """A component's parts after the change; None when they do not change."""
    if name in ("entity_density", "statistic_density"):
        if page_too_short(parts["W"] + words):
            return None
        parts["W"] += words
    elif name == "quotable_density":
        parts["n_s"] += 1 if words else 0
        parts["q"] = min(MOST_QUOTABLE, parts["q"] + raised.get("q", 0))
        return parts if parts["n_s"] >= 3 else None
    elif name == "citation_f1" and raised:
        if parts["C"] >= MOST_CITATIONS:
            return None
        parts["c_bar"] = (parts["c_bar"] * parts["C"] + ATTRIBUTION) / (parts["C"] + 1)
        parts["trusted"] += 1
    else:
        return None
    for symbol, more in raised.items():
        parts[symbol] += more
    return parts


def page_too_short(words: int) -> bool:
    """Under 50 words two densities stay at their constant whatever is added."""
    return words < 50


def _capped(content: float, fresh: float, words: int) -> float:
    limit = cap(words)
    blended = blend(content, fresh)
    return blended if limit is None else min(limit, blended)


def _additions(page: PageScore, doc: Document) -> Iterator[Suggestion]:
    gains = one_more(page, lift_cap=False)
    quote, dated, cite = "quotable_density", "statistic_density", "citation_f1"
    yield Suggestion(quote, "quote a named person, or define a term", gains["quotation"], _bare(doc, page, quote))
    yield Suggestion(dated, "give a figure with its year", gains["dated statistic"], _bare(doc, page, dated))
    yield Suggestion(cite, "name the source of a claim", gains["citation"], _unsourced(doc, page))
    yield Suggestion(
        "entity_density", "name who, what or when", gains["named entity"], _bare(doc, page, "entity_density")
    )


def _repairs(page: PageScore, doc: Document) -> Iterator[Suggestion]:
    """The paragraph with the weakest opening, if it named its subject."""
    reading = page.readings["self_containment"]
    points = list(reading.parts["points"])
    if not points or min(points) >= 100:
        return
    worst = points.index(min(points))
    raised = [*points]
    raised[worst] = 100.0
    values = {n: r.value for n, r in page.readings.items()}
    values["self_containment"] = _BY_NAME["self_containment"].value({"n": len(raised), "points": raised})
    gain = _capped(math.fsum(contributions(values, page.weights).values()), page.freshness, page.words) - page.score
    yield Suggestion(
        "self_containment", "open this paragraph with its subject", gain, _line(doc, paragraphs(doc)[worst])
    )


def _frame(page: PageScore, doc: Document) -> Iterator[Suggestion]:
    """Length, where the cap binds, and the date, where there is none."""
    blended = page.blended
    if page.cap is not None and blended > page.cap:
        needed = next(below for below, limit in CAPS if limit == page.cap)
        gain = _capped(page.content, page.freshness, needed) - page.score
        yield Suggestion(
            "cap",
            f"write at least {counted(needed - page.words, 'more word')} of substance",
            gain,
            doc.line_at(doc.source.start),
        )
    if page.fresh.terms["date"] == NEUTRAL and not any(
        e.pattern.startswith("freshness_date") for e in page.fresh.evidence
    ):
        weight = dict(TERMS)["date"]
        fresh = page.freshness + weight * 50
        gain = min(FRESHNESS_SHARE * weight * 50, _capped(page.content, fresh, page.words) - page.score)
        yield Suggestion(
            "freshness", "say when the page was published or last reviewed", gain, doc.line_at(doc.source.start)
        )


def _bare(doc: Document, page: PageScore, component: str) -> int:
    """The line of the longest paragraph without evidence for this component, else of the longest."""
    starts = [e.start for e in page.readings[component].evidence]  # sorted
    spans = paragraphs(doc) or [(0, len(doc.text))]
    empty = [s for s in spans if not _holds_any(doc, s, starts)]
    return _line(doc, max(empty or spans, key=lambda s: (s[1] - s[0], -s[0])))


def _unsourced(doc: Document, page: PageScore) -> int:
    """The line of the first factual claim that no citation overlaps, else of a paragraph without citation."""
    cited = {doc.segment_at(m.start) for m in doc.find("citation")}
    for claim in doc.find("factual_claim"):
        if doc.segment_at(claim.start) not in cited:
            return _line(doc, (claim.start, claim.end))
    return _bare(doc, page, "citation_f1")


def _holds_any(doc: Document, span: Span, offsets: list[int]) -> bool:
    """Whether one of the sorted source offsets lies in a span of the reading text."""
    start, end = doc.structure.view.source_span(*span)
    return bisect_left(offsets, start) < bisect_left(offsets, end)


def _line(doc: Document, span: Span) -> int:
    return doc.line_at(doc.structure.view.source_offset(span[0]))


__all__ = ["ADDED_WORDS", "Suggestion", "one_more", "suggest"]
