"""dump: names and numbers listed without sentences."""

from __future__ import annotations

from steelyard.detectors.base import Detector, Measured
from steelyard.detectors.inspected import Examined, densest

WINDOW = 40


class Dump(Detector):
    """Names and numbers for every other word, in the 40 consecutive words that hold most of them.

    A ratio, not a share: between 36 and 40 of 40 lies the difference between a table and a dump.
    """

    about = "names and numbers for every other word in the densest 40 words"
    least = 2.0
    power = 2.0

    def measure(self, page: Examined) -> Measured:
        if len(page) < WINDOW:
            return Measured(0.0)
        marks = [
            not function and (word[0].isupper() or not word[0].isalpha())
            for word, function in zip(page.shown, page.function, strict=True)
        ]
        most, at = densest(marks, WINDOW)
        return Measured(
            most / (WINDOW - most + 1), {"names_and_numbers": most, "of": WINDOW}, (page.span(at, at + WINDOW - 1),)
        )
