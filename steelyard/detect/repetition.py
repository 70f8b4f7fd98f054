"""repetition: a passage that uses very few different words."""

from __future__ import annotations

from collections import Counter

from steelyard.detect.base import Detector, Measured
from steelyard.detect.page import Examined

WINDOW = 50


class Repetition(Detector):
    """1 less the smallest share of different words in any 50 consecutive ones."""

    about = "the share of repeated words in the most repetitive 50 words"
    least = 0.40

    def measure(self, page: Examined) -> Measured:
        words = page.words
        if len(words) < WINDOW:
            return Measured(0.0)
        counts = Counter(words[:WINDOW])
        fewest, at = len(counts), 0
        for i in range(WINDOW, len(words)):
            new, old = words[i], words[i - WINDOW]
            counts[new] += 1
            counts[old] -= 1
            if not counts[old]:
                del counts[old]
                if len(counts) < fewest:
                    fewest, at = len(counts), i - WINDOW + 1
        return Measured(1 - fewest / WINDOW, {"different": fewest, "of": WINDOW}, (page.span(at, at + WINDOW - 1),))
