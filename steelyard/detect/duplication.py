"""duplication: word sequences that stand on the page more than once."""

from __future__ import annotations

from steelyard.detect.base import Detector, Measured
from steelyard.detect.page import Examined

SHINGLE = 6  # words


class Duplication(Detector):
    """The share of six-word sequences that occurred before on the same page."""

    about = "the share of six-word sequences that the page has said before"
    least = 0.05

    def measure(self, page: Examined) -> Measured:
        words = page.words
        total = len(words) - SHINGLE + 1
        if total < SHINGLE:
            return Measured(0.0)
        seen: set[tuple[str, ...]] = set()
        again = []
        for i in range(total):
            shingle = tuple(words[i : i + SHINGLE])
            if shingle in seen:
                again.append(i)
            else:
                seen.add(shingle)
        spans = tuple(page.span(first, last + SHINGLE - 1) for first, last in _runs(again))
        return Measured(len(again) / total, {"repeated": len(again), "of": total}, spans[:20])


def _runs(numbers: list[int]) -> list[tuple[int, int]]:
    """Consecutive numbers as (first, last)."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and number <= runs[-1][1] + SHINGLE:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs
