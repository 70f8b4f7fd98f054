"""entity_density: how many distinct names, dates, amounts and linked sites the page has per 100 words."""

from __future__ import annotations

from steelyard.components import links
from steelyard.components.base import Component, Counts, DegenerateCase, Parts, select_distinct, select_longest
from steelyard.text.characters import lower
from steelyard.text.document import Document, Match


class EntityDensity(Component):
    """b(e) for e unique entities per 100 words, plus 2 per factual claim (at most 15) and a bonus for long pages."""

    label = "names, dates and amounts"
    spec = "app:entity"
    formula = "min(100, b(100·E/W) + min(15, 2F) + B_len)"
    symbols = ("E", "W", "F")
    degenerate = (DegenerateCase("fewer than 50 words", lambda doc: doc.evidence_words < 50, 0.0),)

    def count(self, doc: Document) -> Counts:
        names = (strip_stop_words(doc, m) for m in doc.find("entity"))
        entities = select_distinct(doc, select_longest(m for m in names if m is not None))
        linked = links.first_per_site(links.find_external(doc, entities))  # ten links to a site name one thing
        claims = select_longest(doc.find("factual_claim"))
        parts = {"E": len(entities) + len(linked), "W": doc.evidence_words, "F": len(claims)}
        return Counts(parts, [*entities, *links.locate_links(doc, linked, "linked-site", "entity")])

    def value(self, parts: Parts) -> float:
        entities, words, claims = int(parts["E"]), int(parts["W"]), int(parts["F"])
        bonus = min(15.0, 1.5 * (entities - 20)) if words >= 800 and entities >= 20 else 0.0
        return min(100.0, density_points(100 * entities / words) + min(15.0, 2.0 * claims) + bonus)


def density_points(e: float) -> float:
    """Compute b(e), the paper's piecewise line."""
    if e >= 3.5:
        return 100.0
    if e >= 2:
        return 65 + 23.3 * (e - 2)
    if e >= 1:
        return 35 + 30 * (e - 1)
    return 35 * e


def strip_stop_words(doc: Document, match: Match) -> Match | None:
    """Cut stop words off both ends of a name; return None when too few words are left."""
    attributes = doc.attributes(match)
    if not attributes.get("strip"):
        return match
    start, end = match.start, match.end
    while start < end:
        word, gap, _ = doc.text[start:end].partition(" ")
        if lower(word) not in doc.language.stop:
            break
        start += len(word) + len(gap)
    while start < end:
        _, gap, word = doc.text[start:end].rpartition(" ")
        if lower(word) not in doc.language.stop:
            break
        end -= len(gap) + len(word)
    words = len(doc.text[start:end].split())
    return Match(match.family, match.pattern, start, end) if words >= attributes.get("min_words", 1) else None
