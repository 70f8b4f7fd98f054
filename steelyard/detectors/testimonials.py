"""testimonials: praise in the first person, with stars: what invented reviews consist of."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cache

from steelyard.detectors.base import Detector, Measurement, PageWords, find_best_run
from steelyard.text.characters import WORD

USUAL = 0.16  # per word that an ordinary sentence may have
PRAISE, SELF, RATING, EXCLAMATION = 1.0, 0.5, 2.0, 0.5
_OUT_OF = ("/", "out of", "sur")
_EXCLAMATION = re.compile("!")


@cache
def _compile_rating(words: frozenset[str]) -> re.Pattern[str]:
    """Return the pattern of stars and of "5 out of 5", also with a language's own words for "out of"."""
    out_of = "|".join((*_OUT_OF, *sorted(words)))
    return re.compile(
        rf"[★☆⭐]{{1,10}}|\*{{5}}|(?<!{WORD})(?:[45](?:[.,][0-9])?|9|10) ?(?:{out_of}) ?(?:5|10)(?!{WORD})"
    )


class Testimonials(Detector):
    """Words of praise, of the first person, ratings and exclamation marks beyond the usual, in the densest passage."""

    lowest_threshold = 6.0

    def measure(self, page: PageWords) -> Measurement:
        praise, self_words = page.lists["praise"], page.lists["self"]
        values = [PRAISE * (word in praise) + SELF * (word in self_words) - USUAL for word in page.words]
        if not values:
            return Measurement(0.0)
        starts = [start for start, _ in page.spans]
        text = page.text
        rating = _compile_rating(page.lists.get("out_of", frozenset()))
        ratings = 0
        for match in rating.finditer(text):  # before what is said, most of the time
            ratings += 1
            values[min(len(starts) - 1, bisect_left(starts, match.start()))] += RATING
        for match in _EXCLAMATION.finditer(text):
            values[max(0, bisect_right(starts, match.start()) - 1)] += EXCLAMATION
        best, first, last = find_best_run(values)
        spans = (page.span(first, last - 1),) if best else ()
        return Measurement(best, {"ratings": ratings, "words": last - first}, spans)
