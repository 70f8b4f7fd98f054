"""citation_f1: a capped count of named and linked sources, scored as a weighted arithmetic mean; not an F1."""

from __future__ import annotations

from steelyard.components import links
from steelyard.components.arithmetic.numbers import mean
from steelyard.components.base import Component, Counts, DegenerateCase, Parts, select_distinct, select_longest
from steelyard.text.document import Document, Match, once_per_page
from steelyard.text.lines import Link

MAX_CITATIONS = 20
LINK_CONFIDENCE = 0.6
TRUSTED = 0.55


def find_named(doc: Document) -> list[Match]:
    """Return the sources that the text names, without the page's own site where its address is known."""
    named = select_longest(doc.find("citation"))
    return [m for m in named if not links.names_site(doc.text[m.start : m.end], doc.site)] if doc.site else named


@once_per_page
def find_citations(doc: Document) -> list[Match | Link]:
    """Return the first 20 distinct citations: those in the text, then those behind links."""
    named = select_distinct(doc, find_named(doc))
    citations: list[Match | Link] = [*named, *links.find_external(doc, named)]
    return citations[:MAX_CITATIONS]


class CitationF1(Component):
    """0.50 P + 0.30 R + 0.20 Q over at most 20 distinct citations and M factual claims."""

    label = "sources"
    spec = "app:citation"
    formula = "0.50·P + 0.30·min(100, 100·C/max(1, M/5)) + 0.20·100·c_bar"
    symbols = ("C", "M", "c_bar", "trusted")
    degenerate = (DegenerateCase("no citation", lambda doc: not find_citations(doc), 0.0),)

    def count(self, doc: Document) -> Counts:
        cited = find_citations(doc)
        named = [c for c in cited if isinstance(c, Match)]
        linked = [c for c in cited if isinstance(c, Link)]
        confidences = [float(doc.attributes(c)["confidence"]) for c in named] + [LINK_CONFIDENCE] * len(linked)
        parts = {
            "C": len(cited),
            "M": len(select_longest(doc.find("factual_claim"))),
            "c_bar": mean(confidences),
            "trusted": sum(c >= TRUSTED for c in confidences),
        }
        return Counts(parts, [*named, *links.locate_links(doc, linked, "link", "citation")])

    def value(self, parts: Parts) -> float:
        cited = parts["C"]
        precision = 100 * parts["trusted"] / cited
        recall = min(100.0, 100 * cited / max(1, parts["M"] / 5))
        return float(0.50 * precision + 0.30 * recall + 0.20 * 100 * parts["c_bar"])
