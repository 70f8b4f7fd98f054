"""keyword_density: a passage in which a few content words recur too often, as when keywords are scattered over it."""

from __future__ import annotations

from itertools import islice

from steelyard.detectors.base import MAX_PLACES, Detector, Measurement, PageWords, find_best_run
from steelyard.text.characters import is_alpha

TOP = 6
MIN_LETTERS = 3  # letters
MIN_OCCURRENCES = 4  # occurrences that make a content word one of the page's keywords
USUAL = 0.12  # taken off for every other word, so that up to one keyword in nine adds nothing


class KeywordDensity(Detector):
    """The page's most frequent content words, beyond one word in nine, in the passage that has most of them.

    A count, not a share of the page: a short text on one subject names it in every sentence.
    """

    lowest_threshold = 42.0

    def measure(self, page: PageWords) -> Measurement:
        function_words = page.function_words
        ranked = (p for p in page.counts.most_common() if len(p[0]) >= MIN_LETTERS and is_alpha(p[0][0]))
        top = dict(islice((p for p in ranked if p[0] not in function_words and p[1] >= MIN_OCCURRENCES), TOP))
        best, first, last = find_best_run(1.0 if word in top else -USUAL for word in page.words)
        places = [page.spans[at] for at in range(first, last) if page.words[at] in top][:MAX_PLACES]
        return Measurement(best, top, tuple(places))
