"""near_duplication: passages that say again, with small changes, what the page has said before."""

from __future__ import annotations

from collections import Counter

from steelyard.detectors.base import Detector, Measurement, PageWords, find_best_run
from steelyard.text.characters import is_alpha

MIN_LETTERS = 4  # letters of a content word
STEM = 6  # letters by which two forms of a word are the same
REACH = 4  # content words within which two make a pair
FAR = 35  # content words between the two uses of a pair: neighbouring sentences share their subject
RARE = 6  # uses of the rarer word of a pair: keywords are together everywhere
MIN_WORDS = 80  # content words that a share is taken of, on shorter pages too


class NearDuplication(Detector):
    """The share of content words that have two neighbours they had before, in the passage that has most of them.

    Other numbers, synonyms, another order of words or sentences leave most pairs of neighbours as they are.
    """

    lowest_threshold = 0.26

    def measure(self, page: PageWords) -> Measurement:
        places = [
            at
            for at, (word, is_function_word) in enumerate(zip(page.words, page.is_function_word, strict=True))
            if not is_function_word and len(word) >= MIN_LETTERS and is_alpha(word[0])
        ]
        familiar = _find_familiar([page.words[at][:STEM] for at in places])
        best, first, last = find_best_run(1.0 if known else -0.5 for known in familiar)
        if not best:
            return Measurement(0.0)
        span = page.span(places[first], places[last - 1])
        return Measurement(best / max(MIN_WORDS, len(places)), {"familiar": sum(familiar), "of": len(places)}, (span,))


def _find_familiar(stems: list[str]) -> list[bool]:
    """Return for each word whether two of its pairs with words nearby occurred before, some way back."""
    counts = Counter(stems)
    first_use: dict[tuple[str, str], int] = {}
    pairs = [0] * len(stems)
    for at, stem in enumerate(stems):
        if counts[stem] == 1:
            continue
        for near in range(max(0, at - REACH), at):
            other = stems[near]
            if other == stem or not 1 < min(counts[other], counts[stem]) <= RARE:
                continue
            if at - first_use.setdefault((min(other, stem), max(other, stem)), at) > FAR:
                pairs[at] += 1
                pairs[near] += 1
    return [number > 1 for number in pairs]
