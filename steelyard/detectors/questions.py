"""questions: one question after another, with hardly an answer between them."""

from __future__ import annotations

import re
from bisect import bisect_left

from steelyard.detectors.base import MAX_PLACES, Detector, Measurement, PageWords, find_best_run

USUAL = 45  # words for each question: an answer that says something is longer
_MARK = re.compile(r"\?")


class Questions(Detector):
    """Questions beyond one in 45 words, in the passage that has most of them."""

    lowest_threshold = 4.5

    def measure(self, page: PageWords) -> Measurement:
        starts = [start for start, _ in page.spans]
        asking = {bisect_left(starts, match.start()) - 1 for match in _MARK.finditer(page.text)} - {-1}
        if not asking:
            return Measurement(0.0)
        best, first, last = find_best_run((at in asking) - 1 / USUAL for at in range(len(page)))
        sentences = [(a, b) for a, b in page.sentences if first < b <= last and b - 1 in asking]
        spans = tuple(page.span(a, b - 1) for a, b in sentences[:MAX_PLACES])
        return Measurement(best, {"questions": len(asking)}, spans)
