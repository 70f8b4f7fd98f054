"""hollow_evidence: figures, quotations and sources in sentences that say hardly anything."""

from __future__ import annotations

import math
from bisect import bisect_left

from steelyard.detectors.base import MOST_PLACES, Detector, Measurement, PageWords

SHORTEST = 3  # letters of a content word
HOLLOW = 3  # content words up to which a sentence is reported


class HollowEvidence(Detector):
    """Pieces of evidence, each divided by one plus the number of plain content words in its sentence.

    "In 2023 it was 41%." has no content words, so its evidence counts in full. Names and numbers say nothing by
    themselves and are not counted as content words.
    """

    lowest_threshold = 2.0
    exponent = 2.0

    def measure(self, page: PageWords) -> Measurement:
        places = page.evidence
        shares, spans, at = [], [], 0
        for first, last in page.sentences:
            end = bisect_left(places, last, at)
            if end > at:
                content = _count_content_words(page, first, last)
                shares.append((end - at) / (1 + content))
                if content <= HOLLOW:
                    spans.append(page.span(first, last - 1))
            at = end
        parts = {"evidence": len(places), "hollow_sentences": len(spans)}
        return Measurement(math.fsum(shares), parts, tuple(spans[:MOST_PLACES]))


def _count_content_words(page: PageWords, first: int, last: int) -> int:
    """Count the words of a sentence that are neither function words nor names nor numbers."""
    words = zip(page.originals[first:last], page.is_function_word[first:last], strict=True)
    return sum(not function_word and word[0].islower() and len(word) >= SHORTEST for word, function_word in words)
