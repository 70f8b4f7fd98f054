"""dump: names and numbers listed without sentences."""

from __future__ import annotations

from steelyard.detectors.base import Detector, Measurement, PageWords, find_densest_window

WINDOW = 40


class Dump(Detector):
    """Names and numbers per other word, in the 40 consecutive words that contain most of them.

    A ratio, not a share: the difference between a table and a dump is that between 36 and 40 of 40.
    """

    lowest_threshold = 2.0
    exponent = 2.0

    def measure(self, page: PageWords) -> Measurement:
        if len(page) < WINDOW:
            return Measurement(0.0)
        marks = [
            not is_function_word and (word[0].isupper() or not word[0].isalpha())
            for word, is_function_word in zip(page.originals, page.is_function_word, strict=True)
        ]
        most, at = find_densest_window(marks, WINDOW)
        span = page.span(at, at + WINDOW - 1)
        return Measurement(most / (WINDOW - most + 1), {"names_and_numbers": most, "of": WINDOW}, (span,))
