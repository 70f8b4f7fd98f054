"""entity_density: how many distinct checkable things the page names per 100 words."""

from __future__ import annotations

from steelyard.components import links
from steelyard.components.base import Component, Counted, Degenerate, Parts, distinct, identified, longest
from steelyard.text.document import Document, Match


class EntityDensity(Component):
    """b(e) for e unique entities per 100 words, plus 2 per factual claim (at most 15) and a bonus for long pages."""

    spec = "app:entity"
    formula = "min(100, b(100·E/W) + min(15, 2F) + B_len)"
    symbols = ("E", "W", "F")
    degenerate = (Degenerate("fewer than 50 words", lambda doc: doc.n_words < 50, 0.0),)

    def count(self, doc: Document) -> Counted:
        named = (stripped(doc, m) for m in doc.find("entity"))
        entities = distinct(doc, longest(m for m in named if m is not None))
        linked = links.sites(links.external(doc, entities))  # ten links to a site name one thing
        parts = {"E": len(entities) + len(linked), "W": doc.n_words, "F": len(longest(doc.find("factual_claim")))}
        return Counted(parts, [*identified(doc, entities), *links.evidence(doc, linked, "linked-site")])

    def value(self, parts: Parts) -> float:
        entities, words, claims = int(parts["E"]), int(parts["W"]), int(parts["F"])
        bonus = min(15.0, 1.5 * (entities - 20)) if words >= 800 and entities >= 20 else 0.0
        return min(100.0, base(100 * entities / words) + min(15.0, 2.0 * claims) + bonus)


def base(e: float) -> float:
    """b(e), the paper's piecewise line."""
    if e >= 3.5:
        return 100.0
    if e >= 2:
        return 65 + 23.3 * (e - 2)
    if e >= 1:
        return 35 + 30 * (e - 1)
    return 35 * e


def stripped(doc: Document, match: Match) -> Match | None:
    """A name without the function words at its ends; None when too little of it is left."""
    attributes = doc.attributes(match)
    if not attributes.get("strip"):
        return match
    start, end = match.start, match.end
    while start < end:
        word, gap, _ = doc.text[start:end].partition(" ")
        if word.lower() not in doc.language.stop:
            break
        start += len(word) + len(gap)
    while start < end:
        _, gap, word = doc.text[start:end].rpartition(" ")
        if word.lower() not in doc.language.stop:
            break
        end -= len(gap) + len(word)
    words = len(doc.text[start:end].split())
    return Match(match.family, match.pattern, start, end) if words >= attributes.get("min_words", 1) else None
