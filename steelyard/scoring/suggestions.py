"""Findings and suggestions: what a change would add to the score, by the components' own formulas on raised counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from steelyard.components import COMPONENTS
from steelyard.components.base import Parts
from steelyard.components.citation_f1 import MAX_CITATIONS
from steelyard.components.quotable_density import MAX_QUOTABLE
from steelyard.components.self_containment import POINTS
from steelyard.scoring import editions
from steelyard.scoring.caps import CAPS, cap_for_content, cap_for_length, content_words_for
from steelyard.scoring.finding import MIN_GAIN, Finding, make_finding
from steelyard.scoring.freshness import NEUTRAL, TERMS
from steelyard.scoring.missing_evidence import (
    find_nameless,
    find_openings,
    find_undated,
    find_unquoted,
    find_unsourced,
    find_vague,
    locate_page,
)
from steelyard.scoring.page import FRESHNESS_SHARE, PageScore, blend, contributions, final_score
from steelyard.support.formatting import format_count
from steelyard.text.document import Document

ADDED_WORDS = 25  # the assumed length of the one sentence that is added
NEW_WORDS = 0.4  # of these, the share of content words that the page does not have yet
ATTRIBUTION = 0.7  # the confidence of an attribution, assumed for one more citation
MAX_LINES = 10  # of other findings, listed with a suggestion
MIN_WORDS = 50  # words, below which two densities keep their constant whatever is added
MIN_SENTENCES = 3  # the same for quotable_density

KINDS = {value: kind for kind, value in POINTS.items()}  # of a paragraph, by its points
_BY_NAME = {c.name: c for c in COMPONENTS}


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


# Where each kind of evidence is missing; none where that is not certain.
FINDERS: Mapping[str, Callable[[Document], list[Finding]]] = {
    "quotation": find_unquoted,
    "dated statistic": find_vague,
    "citation": find_unsourced,
    "named entity": find_nameless,
}


def find_improvements(page: PageScore, doc: Document) -> list[Finding]:
    """Return every finding whose change gains a computable number of points, also once the cap is gone.

    The biggest gain comes first, and of each rule the one to begin with. There is none while a guard applies, and none
    for evidence that the page may have after all.
    """
    if page.guard is not None:
        return []
    findings = [*_find_additions(page, doc), *_find_openings(page, doc), *_find_length_and_date(page, doc)]
    worthwhile = [f for f in findings if max(f.gain, f.uncapped) >= MIN_GAIN]
    return sorted(worthwhile, key=lambda f: (-f.gain, f.rule))


def suggest(findings: Sequence[Finding]) -> list[Finding]:
    """Return the best finding of each rule that gains now, with the lines of the others."""
    rules: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.gain >= MIN_GAIN:
            rules.setdefault(finding.rule, []).append(finding)
    return [replace(best, more=_list_lines(best, others)) for best, *others in rules.values()]


def _list_lines(best: Finding, others: Sequence[Finding]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(other.line for other in others if other.line != best.line))[:MAX_LINES]


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
        cap = cap_for_content(content_words_for(cap) + round(NEW_WORDS * words))
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
        return changed if changed["W"] >= MIN_WORDS else None
    if name == "quotable_density":
        changed["n_s"] += 1 if words else 0
        changed["q"] = min(MAX_QUOTABLE, changed["q"])
        return changed if changed["n_s"] >= MIN_SENTENCES else None
    if name == "citation_f1" and raised and parts["C"] < MAX_CITATIONS:
        changed["c_bar"] = (parts["c_bar"] * parts["C"] + ATTRIBUTION) / (parts["C"] + 1)
        changed["trusted"] += 1
        return changed
    return None


def _add_gain(findings: Iterable[Finding], page: PageScore, values: Mapping[str, float]) -> Iterator[Finding]:
    """Yield the findings with the points gained when the components have these values."""
    gain, uncapped = _gain(page, values, 0), _gain_uncapped(page, values)
    return (replace(finding, gain=gain, uncapped=uncapped) for finding in findings)


def _find_additions(page: PageScore, doc: Document) -> Iterator[Finding]:
    for name, find in FINDERS.items():
        yield from _add_gain(find(doc), page, _values_after(page, ADDITIONS[name]))


def _find_openings(page: PageScore, doc: Document) -> Iterator[Finding]:
    """Find the paragraphs with a weak opening; the gain is that of naming the subject of one of them."""
    points = list(page.readings["self_containment"].parts["points"])
    kinds = [KINDS[value] for value in points]
    if not (findings := find_openings(doc, kinds)):
        return
    points[kinds.index("opener")] = POINTS["subject"]
    values = {n: r.value for n, r in page.readings.items()}
    values["self_containment"] = _BY_NAME["self_containment"].value({"n": len(points), "points": points})
    yield from _add_gain(findings, page, values)


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
        yield replace(make_finding("cap", locate_page(doc), words=words), gain=gain, uncapped=gain)
    undated = [] if page.fresh.is_dated else find_undated(doc)
    if undated and page.fresh.terms["date"] == NEUTRAL:
        added = dict(TERMS)["date"] * 50
        gain = final_score(page.content, page.freshness + added, page.cap) - page.score
        most = FRESHNESS_SHARE * added
        yield from (replace(finding, gain=min(most, gain), uncapped=most) for finding in undated)
