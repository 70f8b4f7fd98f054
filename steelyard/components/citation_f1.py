"""citation_f1: a saturating count of named sources; a weighted arithmetic mean, not an F1, whatever its name."""

from __future__ import annotations

import math

from steelyard.components import links
from steelyard.components.base import (
    Component,
    Counted,
    Degenerate,
    Evidence,
    Found,
    Parts,
    distinct,
    identified,
    longest,
)
from steelyard.text.document import Document, Match
from steelyard.text.lines import Link

MOST = 20
LINK_CONFIDENCE = 0.6
TRUSTED = 0.55


class CitationF1(Component):
    """0.50 P + 0.30 R + 0.20 Q over at most 20 distinct citations and M factual claims."""

    spec = "app:citation"
    formula = "0.50·P + 0.30·min(100, 100·C/max(1, M/5)) + 0.20·100·c_bar"
    symbols = ("C", "M", "c_bar", "trusted")
    degenerate = (Degenerate("no citation", lambda doc: not citations(doc), 0.0),)

    def count(self, doc: Document) -> Counted:
        cited = citations(doc)
        confidences = [_confidence(doc, c) for c in cited]
        parts = {
            "C": len(cited),
            "M": len(longest(doc.find("factual_claim"))),
            "c_bar": math.fsum(confidences) / len(cited) if cited else 0.0,
            "trusted": sum(c >= TRUSTED for c in confidences),
        }
        return Counted(parts, identified(doc, [c for c in cited if isinstance(c, Match)]))

    def value(self, parts: Parts) -> float:
        cited = parts["C"]
        precision = 100 * parts["trusted"] / cited
        recall = min(100.0, 100 * cited / max(1, parts["M"] / 5))
        return float(0.50 * precision + 0.30 * recall + 0.20 * 100 * parts["c_bar"])

    def evidence(self, doc: Document, counted: Counted) -> list[Found | Evidence]:
        linked = [c for c in citations(doc) if isinstance(c, Link)]
        return [*counted.found, *links.evidence(doc, linked, "link")]


def citations(doc: Document) -> list[Match | Link]:
    """The first 20 distinct citations of the page, those in the text before those behind links."""
    return doc.memo("citations", lambda: _citations(doc))


def _citations(doc: Document) -> list[Match | Link]:
    named = distinct(doc, longest(doc.find("citation")))
    every: list[Match | Link] = [*named, *links.external(doc, named)]
    return every[:MOST]


def _confidence(doc: Document, citation: Match | Link) -> float:
    return float(doc.attributes(citation)["confidence"]) if isinstance(citation, Match) else LINK_CONFIDENCE
