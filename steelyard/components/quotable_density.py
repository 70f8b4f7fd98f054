"""quotable_density: the share of sentences that can be quoted whole: definitions, enumerations, attributed quotes."""

from __future__ import annotations

from steelyard.components.base import Component, Counts, DegenerateCase, Parts
from steelyard.text.document import Document, Match

MAX_QUOTABLE = 10
FAMILIES = ("quotable", "quotation", "definition", "enumeration")  # an edition has the first or the others


def find_quotable(doc: Document) -> list[Match]:
    """Return what can be quoted: quotations, definitions and enumeration leads, by position."""
    matches = [match for family in FAMILIES if family in doc.language.families for match in doc.find(family)]
    return sorted(matches, key=lambda m: (m.start, m.end))


class QuotableDensity(Component):
    """r = q / n_s against a target of 10%; q is capped at 10 matches."""

    label = "quotable sentences"
    spec = "app:quotable"
    formula = "r = q/n_s: 100 from 0.10, 50 + 1000(r - 0.05) from 0.05, else 1000·r"
    symbols = ("q", "n_s")
    degenerate = (DegenerateCase("fewer than 3 sentences", lambda doc: len(doc.evidence_sentences) < 3, 0.0),)

    def count(self, doc: Document) -> Counts:
        sentences: set[int] = set()
        known: set[int] = set()  # sentences whose words are in `seen`; one may hold a thousand matches
        seen: set[str] = set()
        counted = []
        for match in find_quotable(doc):
            sentence = doc.segment_at(match.start)
            # A quotation is known by its own words, wherever it is; any other match by its sentence.
            whole = doc.attributes(match).get("whole")
            if not whole and sentence in known:
                continue
            words = doc.matched_text(match) if whole else doc.segment_text(sentence)
            if words not in seen and sentence not in sentences:
                counted.append(match)
            seen.add(words)
            sentences.add(sentence)
            if not whole:
                known.add(sentence)
        return Counts({"q": min(MAX_QUOTABLE, len(counted)), "n_s": len(doc.evidence_sentences)}, counted)

    def value(self, parts: Parts) -> float:
        r = float(parts["q"] / parts["n_s"])
        if r >= 0.10:
            return 100.0
        if r >= 0.05:
            return 50.0 + 1000.0 * (r - 0.05)
        return 1000.0 * r
