"""Suggestions: what one change would add to the score, computed with the components' own formulas on raised counts."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from steelyard.components import COMPONENTS
from steelyard.components.base import Parts
from steelyard.components.citation_f1 import MAX_CITATIONS
from steelyard.components.quotable_density import MAX_QUOTABLE
from steelyard.components.self_containment import find_paragraphs
from steelyard.scoring import editions
from steelyard.scoring.caps import CAPS, cap_for_length, content_words_for
from steelyard.scoring.freshness import NEUTRAL, TERMS
from steelyard.scoring.page import FRESHNESS_SHARE, PageScore, contributions, final_score
from steelyard.support.formatting import format_count
from steelyard.text.document import Document
from steelyard.text.lines import Span

# The wording of every suggestion: the topic in one word, for tables, and what the writer should do.
WORDING = {
    "quotable_density": ("quote", "quote a named person, or define a term"),
    "statistic_density": ("figure", "give a figure with its year"),
    "citation_f1": ("source", "name the source of a claim"),
    "entity_density": ("name", "name who, what or when"),
    "self_containment": ("opening", "open this paragraph with its subject"),
    "cap": ("length", "write at least {words}"),
    "freshness": ("date", "say when the page was published or last reviewed"),
}

# Levers with a published effect on engines that no measurement here confirms (docs/engines.md; a test compares).
UNCONFIRMED = {"quotable_density": "quotation", "statistic_density": "statistics", "citation_f1": "cite_sources"}

ADDED_WORDS = 25  # the assumed length of the one sentence that is added
ATTRIBUTION = 0.7  # the confidence of an attribution, assumed for one more citation
QUOTED_WORDS = 8  # of the sentence or paragraph that a suggestion is about
LONGEST_QUOTE = 100  # characters
SMALLEST_GAIN = 0.05  # points; less is not worth suggesting
SHORTEST_PAGE = 50  # words, below which two densities keep their constant whatever is added
FEWEST_SENTENCES = 3  # the same for quotable_density

_BY_NAME = {c.name: c for c in COMPONENTS}


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A change, the component it affects, the points the score would gain, and the line of the source to change.

    `quote` are the first words of what the suggestion is about, as the page has them; empty for the whole page.
    `engine_effect` is "unconfirmed" for a lever that is said to raise citations by engines; None for other changes,
    about which nothing is claimed.
    """

    component: str
    action: str
    gain: float
    line: int
    engine_effect: str | None = None
    quote: str = ""

    @property
    def topic(self) -> str:
        """What the change is about, in one word."""
        return WORDING[self.component][0]


class Addition(NamedTuple):
    """One more piece of evidence: the component that counts it, the counts it raises, and the words it adds."""

    component: str
    raised: Mapping[str, int]
    words: int = ADDED_WORDS


ADDITIONS = {
    "quotation": Addition("quotable_density", {"q": 1}),
    "statistic": Addition("statistic_density", {"S": 1}),
    "dated statistic": Addition("statistic_density", {"S": 1, "D": 1}),
    "citation": Addition("citation_f1", {"C": 1}),
    "named entity": Addition("entity_density", {"E": 1}, words=0),
}


def suggest(page: PageScore) -> list[Suggestion]:
    """Return every change whose gain can be computed, the biggest gain first; none while a guard applies."""
    if page.guard is not None or page.document is None:
        return []
    doc = page.document
    changes = [*_suggest_additions(page, doc), *_suggest_openings(page, doc), *_suggest_length_and_date(page, doc)]
    worthwhile = [c for c in changes if c.gain >= SMALLEST_GAIN]
    return sorted(worthwhile, key=lambda c: (-c.gain, c.component, c.line))


def gains_of_one_more(page: PageScore, *, lift_cap: bool = True) -> dict[str, float]:
    """Return the points that one more piece of each kind of evidence would add to the score.

    With `lift_cap` the added words count towards the cap, as they would in practice. Without it the gain is that of
    the component alone, since length is a suggestion of its own.
    """
    return {
        name: _gain(page, _values_after(page, addition), page.words + addition.words * lift_cap)
        for name, addition in ADDITIONS.items()
    }


def _gain(page: PageScore, values: Mapping[str, float], words: int) -> float:
    """Return how much the score grows when the components have these values and the page this many words."""
    content = math.fsum(contributions(values, page.weights).values())
    cap = cap_for_length(words) if _is_capped_by_length(page) else page.cap
    return final_score(content, page.freshness, cap) - page.score


def _is_capped_by_length(page: PageScore) -> bool:
    return editions.load(page.scoring.edition).caps == "words"


def _values_after(page: PageScore, addition: Addition) -> dict[str, float]:
    """Return the components' values after an addition."""
    values = {name: reading.value for name, reading in page.readings.items()}
    for name, reading in page.readings.items():
        raised = addition.raised if name == addition.component else {}
        parts = _parts_after(name, reading.parts, raised, addition.words)
        if parts is not None and (raised or reading.degenerate is None):
            values[name] = min(100.0, max(0.0, _BY_NAME[name].value(parts)))
    return values


def _parts_after(name: str, parts: Parts, raised: Mapping[str, int], words: int) -> Parts | None:
    """Return a component's parts after an addition, or None when its value stays the same."""
    changed = {**parts, **{symbol: parts[symbol] + more for symbol, more in raised.items()}}
    if name in ("entity_density", "statistic_density"):
        changed["W"] += words
        return changed if changed["W"] >= SHORTEST_PAGE else None
    if name == "quotable_density":
        changed["n_s"] += 1 if words else 0
        changed["q"] = min(MAX_QUOTABLE, changed["q"])
        return changed if changed["n_s"] >= FEWEST_SENTENCES else None
    if name == "citation_f1" and raised and parts["C"] < MAX_CITATIONS:
        changed["c_bar"] = (parts["c_bar"] * parts["C"] + ATTRIBUTION) / (parts["C"] + 1)
        changed["trusted"] += 1
        return changed
    return None


class Place(NamedTuple):
    """Where a suggestion applies: the line of the source, and the first words there."""

    line: int
    quote: str = ""


def _suggestion(component: str, gain: float, place: Place, **details: str) -> Suggestion:
    effect = "unconfirmed" if component in UNCONFIRMED else None
    return Suggestion(component, WORDING[component][1].format(**details), gain, place.line, effect, place.quote)


def _suggest_additions(page: PageScore, doc: Document) -> Iterator[Suggestion]:
    gains = gains_of_one_more(page, lift_cap=False)
    for name in ("quotation", "dated statistic", "citation", "named entity"):
        component = ADDITIONS[name].component
        place = _find_unsourced(doc, page) if name == "citation" else _find_bare(doc, page, component)
        yield _suggestion(component, gains[name], place)


def _suggest_openings(page: PageScore, doc: Document) -> Iterator[Suggestion]:
    """Suggest that the paragraph with the weakest opening names its subject."""
    points = list(page.readings["self_containment"].parts["points"])
    if not points or min(points) >= 100:
        return
    worst = points.index(min(points))
    points[worst] = 100.0
    values = {n: r.value for n, r in page.readings.items()}
    values["self_containment"] = _BY_NAME["self_containment"].value({"n": len(points), "points": points})
    yield _suggestion("self_containment", _gain(page, values, page.words), _place(doc, find_paragraphs(doc)[worst]))


def _suggest_length_and_date(page: PageScore, doc: Document) -> Iterator[Suggestion]:
    """Suggest more words where the cap binds, and a date where the page has none."""
    top = Place(doc.line_at(doc.source.start))
    if page.cap is not None and page.blended > page.cap:
        if _is_capped_by_length(page):
            needed = next(below for below, limit in CAPS if limit == page.cap)
            gain = final_score(page.content, page.freshness, cap_for_length(needed)) - page.score
            words = f"{format_count(needed - page.words, 'more word')} of substance"
        else:
            gain = page.blended - page.score
            words = format_count(content_words_for(page.blended) - len(doc.kept_counts), "new content word")
        yield _suggestion("cap", gain, top, words=words)
    dated = any(e.pattern.startswith("freshness_date") for e in page.fresh.evidence)
    if page.fresh.terms["date"] == NEUTRAL and not dated:
        added = dict(TERMS)["date"] * 50
        gain = final_score(page.content, page.freshness + added, page.cap) - page.score
        yield _suggestion("freshness", min(FRESHNESS_SHARE * added, gain), top)


def _find_bare(doc: Document, page: PageScore, component: str) -> Place:
    """Return the place of the longest paragraph without evidence for this component, else of the longest."""
    starts = [e.start for e in page.readings[component].evidence]  # sorted
    spans = find_paragraphs(doc) or [(0, len(doc.text))]
    bare = [s for s in spans if not _holds_any(doc, s, starts)]
    return _place(doc, max(bare or spans, key=lambda s: (s[1] - s[0], -s[0])))


def _find_unsourced(doc: Document, page: PageScore) -> Place:
    """Return the place of the first factual claim in a sentence without a citation, else of a bare paragraph."""
    cited = {doc.segment_at(m.start) for m in doc.find("citation")}
    for claim in doc.find("factual_claim"):
        if doc.segment_at(claim.start) not in cited:
            return _place(doc, doc.segments[doc.segment_at(claim.start)])
    return _find_bare(doc, page, "citation_f1")


def _holds_any(doc: Document, span: Span, offsets: list[int]) -> bool:
    """Tell whether one of the sorted source offsets is inside a span of the reading text."""
    start, end = doc.structure.view.source_span(*span)
    return bisect_left(offsets, start) < bisect_left(offsets, end)


def _place(doc: Document, span: Span) -> Place:
    words = doc.text[span[0] : span[1]].split(maxsplit=QUOTED_WORDS)
    quote = " ".join(words[:QUOTED_WORDS]) + ("…" if len(words) > QUOTED_WORDS else "")
    return Place(doc.line_at(doc.structure.view.source_offset(span[0])), quote[:LONGEST_QUOTE])
