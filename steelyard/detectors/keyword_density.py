"""keyword_density: a few content words make up too much of the page, as when keywords are scattered over it."""

from __future__ import annotations

from itertools import islice

from steelyard.detectors.base import MOST_PLACES, Detector, Measurement, PageWords

TOP = 5
SHORTEST = 3
FEWEST_WORDS = 60  # in a shorter text three uses of one word can be a tenth of it


class KeywordDensity(Detector):
    """The share of all words that the five most frequent content words make up."""

    lowest_threshold = 0.12
    exponent = 2.0

    def measure(self, page: PageWords) -> Measurement:
        if len(page) < FEWEST_WORDS:
            return Measurement(0.0)
        function_words = page.function_words
        ranked = (p for p in page.counts.most_common() if len(p[0]) >= SHORTEST and p[0][0].isalpha())
        top = list(islice((p for p in ranked if p[0] not in function_words), TOP))
        share = sum(n for _, n in top) / len(page)
        keywords = {w for w, n in top if n > 2}
        places = [page.spans[i] for i, w in enumerate(page.words) if w in keywords][:MOST_PLACES]
        return Measurement(share, dict(top), tuple(places))
