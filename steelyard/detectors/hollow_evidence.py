"""hollow_evidence: figures, quotations and sources in sentences that hardly say anything."""

from __future__ import annotations

import math
from bisect import bisect_left

from steelyard.detectors.base import PLACES, Detector, Measured
from steelyard.detectors.inspected import Examined

SHORTEST = 3  # letters of a content word
SHOWN = 3  # content words up to which a sentence is pointed at


class HollowEvidence(Detector):
    """Matches of evidence, each divided by what its sentence has to say: one and its plain content words.

    "In 2023 it was 41%." has none, and counts whole. Names and numbers say nothing by themselves, so they are left out.
    """

    about = "figures, quotations and sources, each divided by one and the plain content words of its sentence"
    least = 2.0
    power = 2.0

    def measure(self, page: Examined) -> Measured:
        places = page.evidence
        shares, spans, at = [], [], 0
        for first, last in page.sentences:
            end = bisect_left(places, last, at)
            if end > at:
                content = _content(page, first, last)
                shares.append((end - at) / (1 + content))
                if content <= SHOWN:
                    spans.append(page.span(first, last - 1))
            at = end
        return Measured(
            math.fsum(shares), {"evidence": len(places), "hollow_sentences": len(spans)}, tuple(spans[:PLACES])
        )


def _content(page: Examined, first: int, last: int) -> int:
    """Words of a sentence that are neither function words nor names nor numbers."""
    held = zip(page.shown[first:last], page.function[first:last], strict=True)
    return sum(not function and word[0].islower() and len(word) >= SHORTEST for word, function in held)
