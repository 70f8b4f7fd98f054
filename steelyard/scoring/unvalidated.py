"""Naturalness and brand trust: two indications that are not part of the score and not validated."""

from __future__ import annotations

from typing import NamedTuple

from steelyard.components.arithmetic.numbers import clamp, mean, variation
from steelyard.scoring.guards import function_word_share
from steelyard.text.document import Document

FUNCTION_SHARE = (0.35, 0.55)
SIGNALS = ("byline", "organisation", "contact", "about", "legal", "sources")


class Unvalidated(NamedTuple):
    """Two indications from 0 to 100 that have not been validated."""

    naturalness: float | None
    brand_trust: float | None

    def describe(self) -> str:
        """Return the sentence that the reports show."""
        natural, trust = ("undefined" if v is None else f"{v:.0f}" for v in self)
        return f"not part of the score, not validated: naturalness {natural}, brand trust {trust}"


NOT_MEASURED = Unvalidated(None, None)  # when many pages are scored without evidence


def naturalness(doc: Document) -> float | None:
    """Return the mean of four signs of written prose, or None for fewer than three sentences."""
    if len(doc.sentences) < 3 or not doc.source.word_counts:
        return None
    share = function_word_share(doc)
    low, high = FUNCTION_SHARE
    distance = max(0.0, low - share, share - high)
    stock = sum(doc.lowered.count(p) for p in doc.language.lists["stock_phrases"])
    openers = [doc.lowered[a:b].split(None, 1)[0] for a, b in (doc.segments[i] for i in doc.sentences)]
    signs = (
        clamp(variation(doc.sentence_words) / 0.5),
        clamp(1 - distance / low),
        clamp(1 - stock / len(doc.sentences)),
        len(set(openers)) / len(openers),
    )
    return round(100 * mean(signs), 9)


def brand_trust(doc: Document) -> float:
    """Return the percentage of six signals that are present: byline, organisation, contact, about, legal, sources."""
    present = {doc.pattern_id(m) for m in doc.find("trust")}
    if doc.find("citation") or doc.structure.links:
        present.add("sources")
    if "author" in doc.source.front_matter:
        present.add("byline")
    return round(100 * len(present & set(SIGNALS)) / len(SIGNALS), 9)
