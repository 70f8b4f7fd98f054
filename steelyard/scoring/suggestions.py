"""Findings and suggestions: what a change would add to the score, by the components' own formulas on raised counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from steelyard.components import COMPONENTS
from steelyard.components.base import Parts
from steelyard.components.citation_f1 import MAX_CITATIONS
from steelyard.components.quotable_density import MAX_QUOTABLE
from steelyard.components.self_containment import POINTS
from steelyard.scoring import editions
from steelyard.scoring.caps import CAPS, cap_for_distinct, cap_for_length, content_words_for
from steelyard.scoring.freshness import NEUTRAL, TERMS
from steelyard.scoring.page import FRESHNESS_SHARE, PageScore, blend, contributions, final_score
from steelyard.scoring.places import (
    Place,
    find_nameless,
    find_openings,
    find_undated,
    find_unquoted,
    find_unsourced,
    find_vague,
    make_page_place,
)
from steelyard.support.formatting import format_count
from steelyard.text.document import Document


class Wording(NamedTuple):
    """A suggestion's topic in one word, for tables; what the writer should do, there or anywhere; what would count."""

    topic: str
    action: str
    counted: str
    anywhere: str = ""


WORDING = {
    "quotable_density": Wording(
        "quote",
        "quote these words and name who said them",
        "words in quotation marks with their speaker",
        "quote somebody who knows the subject",
    ),
    "statistic_density": Wording(
        "figure",
        "give the figure with its year",
        "a number with its unit or what it counts, and a year beside it",
        "give a figure with its year",
    ),
    "citation_f1": Wording(
        "source",
        "name the source of this claim",
        "a named study, body or publication, or a link to another site",
        "name the source of a claim",
    ),
    "entity_density": Wording(
        "name", "name who, what or when", "a person, organisation, place or product with its name, or a date"
    ),
    "self_containment": Wording(
        "opening", "open this paragraph with its subject", "a first sentence whose subject is no pronoun"
    ),
    "cap": Wording("length", "write at least {words}", "words that the page does not have yet"),
    "freshness": Wording(
        "date", "say when the page was published or last reviewed", "a date after a word such as published or updated"
    ),
}

# Levers with a published effect on engines that no measurement here confirms (docs/engines.md; a test compares).
UNCONFIRMED = {"quotable_density": "quotation", "statistic_density": "statistics", "citation_f1": "cite_sources"}

ADDED_WORDS = 25  # the assumed length of the one sentence that is added
NEW_WORDS = 0.4  # of these, the share of content words that the page does not have yet
ATTRIBUTION = 0.7  # the confidence of an attribution, assumed for one more citation
SMALLEST_GAIN = 0.05  # points; less is not worth suggesting
MOST_LINES = 10  # of other places, listed with a suggestion
SHORTEST_PAGE = 50  # words, below which two densities keep their constant whatever is added
FEWEST_SENTENCES = 3  # the same for quotable_density

KINDS = {given: kind for kind, given in POINTS.items()}  # of a paragraph, by its points
_BY_NAME = {c.name: c for c in COMPONENTS}


@dataclass(frozen=True, slots=True)
class Finding:
    """A place that can be improved: its component, what to do, the points that gains, where it is, why, what counts.

    `start` and `end` are a half-open span of the page as it was written, and `quote` the words there; without words the
    finding is about the whole page, and the span is its first line of text. `uncapped` is the gain without the cap,
    which hides it on a short page.
    """

    component: str
    action: str
    gain: float
    uncapped: float
    start: int
    end: int
    line: int
    quote: str
    why: str
    counted: str


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A change, the component it affects, the points the score would gain, and the line of the source to change.

    `quote` are the words it is about, as the page has them; empty for the whole page. `why` says what is missing there,
    `counted` what would count, and `more` has the lines of other places of the same kind. `engine_effect` is
    "unconfirmed" for a lever that is said to raise citations by engines; None for other changes, about which nothing
    is claimed.
    """

    component: str
    action: str
    gain: float
    line: int
    engine_effect: str | None = None
    quote: str = ""
    why: str = ""
    counted: str = ""
    more: tuple[int, ...] = ()

    @property
    def topic(self) -> str:
        """What the change is about, in one word."""
        return WORDING[self.component].topic


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


# Where each kind of evidence is missing; none where no place is certain.
FINDERS: Mapping[str, Callable[[Document], list[Place]]] = {
    "quotation": find_unquoted,
    "dated statistic": find_vague,
    "citation": find_unsourced,
    "named entity": find_nameless,
}


def find_gaps(page: PageScore, doc: Document) -> list[Finding]:
    """Return every place whose change gains a computable number of points, also once the cap is gone.

    The biggest gain comes first, and of each kind the one to begin with. There is none while a guard applies, and none
    for evidence that the page may have after all.
    """
    if page.guard is not None:
        return []
    found = [*_find_additions(page, doc), *_find_openings(page, doc), *_find_length_and_date(page, doc)]
    worthwhile = [f for f in found if max(f.gain, f.uncapped) >= SMALLEST_GAIN]
    return sorted(worthwhile, key=lambda f: (-f.gain, f.component))


def suggest(findings: Sequence[Finding]) -> list[Suggestion]:
    """Return one suggestion for each kind of finding that gains now, with the lines of other places of the kind."""
    kinds: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.gain >= SMALLEST_GAIN:
            kinds.setdefault(finding.component, []).append(finding)
    return [_summarise(first, others) for first, *others in kinds.values()]


def _summarise(first: Finding, others: Sequence[Finding]) -> Suggestion:
    lines = dict.fromkeys(other.line for other in others if other.line != first.line)
    return Suggestion(
        first.component,
        first.action,
        first.gain,
        first.line,
        "unconfirmed" if first.component in UNCONFIRMED else None,
        first.quote,
        first.why,
        first.counted,
        tuple(lines)[:MOST_LINES],
    )


def gains_of_one_more(page: PageScore) -> dict[str, float]:
    """Return the points that one more piece of each kind of evidence would add; its words count towards the cap."""
    return {name: _gain(page, _values_after(page, added), added.words) for name, added in ADDITIONS.items()}


def _gain_uncapped(page: PageScore, values: Mapping[str, float]) -> float:
    """Return how much the score would grow if no cap applied."""
    return blend(math.fsum(contributions(values, page.weights).values()), page.freshness) - page.blended


def _gain(page: PageScore, values: Mapping[str, float], words: int) -> float:
    """Return how much the score grows when the components have these values and the page so many more words."""
    content = math.fsum(contributions(values, page.weights).values())
    cap = page.cap
    if _is_capped_by_length(page):
        cap = cap_for_length(page.words + words)
    elif cap is not None and words:
        cap = cap_for_distinct(content_words_for(cap) + round(NEW_WORDS * words))
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


class Gain(NamedTuple):
    """Points that a change adds: under the cap, and without it."""

    points: float
    uncapped: float


def _findings(component: str, gain: Gain, places: Iterable[Place], **details: str) -> Iterator[Finding]:
    wording = WORDING[component]
    for place in places:
        action = (wording.action if place.quote else wording.anywhere or wording.action).format(**details)
        start, end, line, quote, why = place
        yield Finding(component, action, *gain, start, end, line, quote, why, wording.counted)


def _find_additions(page: PageScore, doc: Document) -> Iterator[Finding]:
    for name, find_places in FINDERS.items():
        values = _values_after(page, ADDITIONS[name])
        gain = Gain(_gain(page, values, 0), _gain_uncapped(page, values))
        yield from _findings(ADDITIONS[name].component, gain, find_places(doc))


def _find_openings(page: PageScore, doc: Document) -> Iterator[Finding]:
    """Find the paragraphs with a weak opening; the gain is that of naming the subject of one of them."""
    points = list(page.readings["self_containment"].parts["points"])
    kinds = [KINDS[given] for given in points]
    if not (places := find_openings(doc, kinds)):
        return
    points[kinds.index("opener")] = POINTS["subject"]
    values = {n: r.value for n, r in page.readings.items()}
    values["self_containment"] = _BY_NAME["self_containment"].value({"n": len(points), "points": points})
    yield from _findings("self_containment", Gain(_gain(page, values, 0), _gain_uncapped(page, values)), places)


def _find_length_and_date(page: PageScore, doc: Document) -> Iterator[Finding]:
    """Find that the page lacks words where the cap binds, and that it has no date."""
    if page.cap is not None and page.blended > page.cap:
        if _is_capped_by_length(page):
            needed = next(below for below, limit in CAPS if limit == page.cap)
            gain = final_score(page.content, page.freshness, cap_for_length(needed)) - page.score
            words = f"{format_count(needed - page.words, 'more word')} of substance"
        else:
            gain = page.blended - page.score
            words = format_count(content_words_for(page.blended) - len(doc.kept_counts), "new content word")
        yield from _findings("cap", Gain(gain, gain), [make_page_place(doc)], words=words)
    undated = [] if page.fresh.is_dated else find_undated(doc)
    if undated and page.fresh.terms["date"] == NEUTRAL:
        added = dict(TERMS)["date"] * 50
        gain = final_score(page.content, page.freshness + added, page.cap) - page.score
        most = FRESHNESS_SHARE * added
        yield from _findings("freshness", Gain(min(most, gain), most), undated)
