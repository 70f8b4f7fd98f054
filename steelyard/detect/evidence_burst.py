"""evidence_burst: more figures, quotations and sources in one place than anybody writes."""

from __future__ import annotations

from steelyard.detect.base import Detector, Measured
from steelyard.detect.page import Examined

WINDOW = 60  # words


class EvidenceBurst(Detector):
    """The most matches of evidence in 60 consecutive words."""

    about = "figures, quotations and sources in the densest 60 words"
    least = 7.0

    def measure(self, page: Examined) -> Measured:
        places = page.evidence
        best, at, first = 0, 0, 0
        for last, place in enumerate(places):
            while place - places[first] >= WINDOW:
                first += 1
            if last - first + 1 > best:
                best, at = last - first + 1, first
        if not best:
            return Measured(0.0)
        return Measured(float(best), {"of_words": WINDOW}, (page.span(places[at], places[at + best - 1]),))
