"""repetition: a passage that uses very few different words."""

from __future__ import annotations

from itertools import accumulate

from steelyard.detectors.base import Detector, Measured
from steelyard.detectors.inspected import Examined

WINDOW = 50


class Repetition(Detector):
    """1 less the smallest share of different words in any 50 consecutive ones."""

    about = "the share of repeated words in the most repetitive 50 words"
    least = 0.40
    power = 2.0

    def measure(self, page: Examined) -> Measured:
        words = page.words
        if len(words) < WINDOW:
            return Measured(0.0)
        # A word is a repeat in the windows that hold it and its last time: those that begin from `first` up to `last`.
        last_time: dict[str, int] = {}
        steps = [0] * (len(words) + 1)
        for i, word in enumerate(words):
            last = last_time.get(word, -1)
            first = max(0, i - WINDOW + 1)
            if last >= first:
                steps[first] += 1
                steps[last + 1] -= 1
            last_time[word] = i
        repeats = list(accumulate(steps[: len(words) - WINDOW + 1]))
        most = max(repeats)
        at = repeats.index(most)
        span = page.span(at, at + WINDOW - 1)
        return Measured(1 - (WINDOW - most) / WINDOW, {"different": WINDOW - most, "of": WINDOW}, (span,))
