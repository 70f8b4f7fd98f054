"""dump: names and numbers listed without sentences."""

from __future__ import annotations

from steelyard.detect.base import Detector, Measured
from steelyard.detect.page import Examined, densest

WINDOW = 40


class Dump(Detector):
    """The largest share of names and numbers in 40 consecutive words."""

    about = "the share of capitalised words and numbers in the densest 40 words"
    least = 0.55

    def measure(self, page: Examined) -> Measured:
        if len(page) < WINDOW:
            return Measured(0.0)
        marks = [
            not function and (word[0].isupper() or not word[0].isalpha())
            for word, function in zip(page.shown, page.function, strict=True)
        ]
        most, at = densest(marks, WINDOW)
        return Measured(most / WINDOW, {"names_and_numbers": most, "of": WINDOW}, (page.span(at, at + WINDOW - 1),))
