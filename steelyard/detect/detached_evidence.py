"""detached_evidence: figures, quotations and sources in sentences that have nothing to do with the page."""

from __future__ import annotations

from collections import Counter

from steelyard.detect.base import Detector, Measured
from steelyard.detect.page import Examined

TIED = 1  # content words shared with the rest of the page up to which a sentence is detached
SHORTEST = 3  # letters of a content word


class DetachedEvidence(Detector):
    """Sentences with evidence that share at most one content word with the rest of the page."""

    about = "evidence sentences that share at most one content word with the rest of the page"
    least = 4.0

    def measure(self, page: Examined) -> Measured:
        places = page.evidence
        if not places:
            return Measured(0.0)
        counts = Counter(page.words)
        spans = []
        for first, last in page.sentences:
            if not page.holds_evidence(first, last):
                continue
            held = page.words[first:last]
            own = Counter(held)
            tied = sum(
                counts[w] > own[w]
                for w, function in zip(held, page.function[first:last], strict=True)
                if not function and len(w) >= SHORTEST and w[0].isalpha()
            )
            if tied <= TIED:
                spans.append(page.span(first, last - 1))
        return Measured(float(len(spans)), {"sentences": len(spans), "evidence": len(places)}, tuple(spans[:20]))
