"""What a change would add to the score, by the components' own formulas on raised counts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from steelyard.advice.finding import Gain
from steelyard.components import BY_NAME
from steelyard.components.base import Parts
from steelyard.components.citation_f1 import MAX_CITATIONS
from steelyard.components.quotable_density import MAX_QUOTABLE
from steelyard.scoring.caps import cap_for_length, cap_for_prose
from steelyard.scoring.page import PageScore, blend, contributions, final_score
from steelyard.text.prose import Prose

ADDED_WORDS = 25  # the assumed length of the one sentence that is added
NEW_WORDS = 0.4  # of these, the share of content words that the page does not have yet
ATTRIBUTION = 0.7  # the confidence of an attribution, assumed for one more citation
MIN_WORDS = 50  # words, below which two densities keep their constant whatever is added
MIN_SENTENCES = 3  # the same for quotable_density


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


def gains_of_one_more(page: PageScore) -> dict[str, float]:
    """Return the points that one more piece of each kind of evidence would add; its words count towards the cap."""
    return {name: _gain(page, _values_after(page, added), added.words) for name, added in ADDITIONS.items()}


def gain_of_addition(page: PageScore, name: str) -> Gain:
    """Return what one more piece of evidence, written into the page's own words, would add."""
    return gain_of_values(page, _values_after(page, ADDITIONS[name]))


def gain_of_values(page: PageScore, values: Mapping[str, float]) -> Gain:
    """Return what the page would gain if these components had these values."""
    every = {name: reading.value for name, reading in page.readings.items()} | dict(values)
    uncapped = blend(math.fsum(contributions(every, page.weights).values()), page.freshness) - page.blended
    return Gain(_gain(page, every, 0), uncapped)


def _gain(page: PageScore, values: Mapping[str, float], words: int) -> float:
    """Return how much the score grows when the components have these values and the page so many more words."""
    content = math.fsum(contributions(values, page.weights).values())
    cap = page.cap
    if page.prose is None:
        cap = cap_for_length(page.words + words)
    elif cap is not None and words:
        running, known = page.prose.words + words, page.prose.content_words
        share = running / (page.words + words)
        cap = cap_for_prose(Prose(running, share, known + round(NEW_WORDS * words)))
    return final_score(content, page.freshness, cap) - page.score


def _values_after(page: PageScore, addition: Addition) -> dict[str, float]:
    """Return the components' values after an addition."""
    values = {name: reading.value for name, reading in page.readings.items()}
    for name, reading in page.readings.items():
        raised = addition.raised if name == addition.component else {}
        parts = _parts_after(name, reading.parts, raised, addition.words)
        if parts is not None and (raised or reading.degenerate is None):
            values[name] = min(100.0, max(0.0, BY_NAME[name].value(parts)))
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
