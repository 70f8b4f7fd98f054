"""dump: names, numbers and entries listed without sentences."""

from __future__ import annotations

from steelyard.detectors.base import Detector, Measurement, PageWords, find_best_run
from steelyard.text.characters import is_alpha

# What a word adds to a run. Prose has a function word for every content word or two, which ends any run at once.
FUNCTION, CONTENT, NAME, NUMBER = -1.5, 0.6, 0.8, 1.0
MIN_WORDS = 10  # words of a run
ORDINARY = 800  # words of a page, beyond which a table counts by its share: long pages have longer tables


class Dump(Detector):
    """Words without the grammar of sentences, in the run that has most: menus, tables, lists of names or keywords.

    Words are weighed: numbers and names most, other content words less, function words against the run. A word with an
    apostrophe ("it's", "l'eau") is grammar too.
    """

    lowest_threshold = 62.0

    def measure(self, page: PageWords) -> Measurement:
        words = zip(page.originals, page.is_function_word, page.is_name, strict=True)
        best, first, last = find_best_run(_weigh(*word) for word in words)
        if last - first < MIN_WORDS:
            return Measurement(0.0)
        shrunk = best * min(1.0, ORDINARY / len(page))
        return Measurement(shrunk, {"words": last - first}, (page.span(first, last - 1),))


def _weigh(word: str, is_function_word: bool, is_name: bool) -> float:
    if is_function_word or "'" in word:
        return FUNCTION
    if not is_alpha(word[0]):
        return NUMBER
    return NAME if is_name else CONTENT
