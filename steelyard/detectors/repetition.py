"""repetition: a passage that uses very few different words."""

from __future__ import annotations

from itertools import accumulate

from steelyard.detectors.base import Detector, Measurement, PageWords

WINDOW = 50


class Repetition(Detector):
    """One minus the smallest share of different words in any 50 consecutive words."""

    lowest_threshold = 0.66
    exponent = 2.0

    def measure(self, page: PageWords) -> Measurement:
        words = page.words
        if len(words) < WINDOW:
            return Measurement(0.0)
        # A word is a repeat in every window that holds its previous use too: those that start from `first` to `last`.
        previous_use: dict[str, int] = {}
        steps = [0] * (len(words) + 1)
        for i, word in enumerate(words):
            last = previous_use.get(word, -1)
            first = max(0, i - WINDOW + 1)
            if last >= first:
                steps[first] += 1
                steps[last + 1] -= 1
            previous_use[word] = i
        repeats = list(accumulate(steps[: len(words) - WINDOW + 1]))
        most = max(repeats)
        at = repeats.index(most)
        span = page.span(at, at + WINDOW - 1)
        return Measurement(1 - (WINDOW - most) / WINDOW, {"different": WINDOW - most, "of": WINDOW}, (span,))
