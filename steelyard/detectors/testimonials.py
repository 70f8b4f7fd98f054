"""testimonials: praise in the first person, with stars: what invented reviews consist of."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from steelyard.detectors.base import Detector, Measurement, PageWords, find_best_run

USUAL = 0.16  # per word that an ordinary sentence may have
PRAISE, SELF, RATING, EXCLAMATION = 1.0, 0.5, 2.0, 0.5
_RATING = re.compile(r"[★☆⭐]{1,10}|\*{5}|\b(?:[45](?:[.,][0-9])?|9|10) ?(?:/|out of|sur) ?(?:5|10)\b")
_EXCLAMATION = re.compile("!")


class Testimonials(Detector):
    """Words of praise, of the first person, ratings and exclamation marks beyond the usual, in the densest passage."""

    lowest_threshold = 6.0

    def measure(self, page: PageWords) -> Measurement:
        praise, self_words = page.lists["praise"], page.lists["self"]
        values = [PRAISE * (word in praise) + SELF * (word in self_words) - USUAL for word in page.words]
        if not values:
            return Measurement(0.0)
        starts = [start for start, _ in page.spans]
        text = page.doc.text
        ratings = [match.start() for match in _RATING.finditer(text)]
        for at in ratings:  # before what is said, most of the time
            values[min(len(starts) - 1, bisect_left(starts, at))] += RATING
        for match in _EXCLAMATION.finditer(text):
            values[max(0, bisect_right(starts, match.start()) - 1)] += EXCLAMATION
        best, first, last = find_best_run(values)
        spans = (page.span(first, last - 1),) if best else ()
        return Measurement(best, {"ratings": len(ratings), "words": last - first}, spans)
