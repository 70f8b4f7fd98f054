"""duplication: word sequences that stand on the page more than once."""

from __future__ import annotations

import math

from steelyard.detectors.base import PLACES, Detector, Measured
from steelyard.detectors.inspected import Examined

SHINGLE = 6  # words
WHOLE = 40  # sequences in a row from which a repeat is copying; shorter ones count in proportion, as formulae recur


class Duplication(Detector):
    """The share of six-word sequences that the page has said before, long repeats in full and short ones less."""

    about = "the share of six-word sequences that the page has said before, weighed by how long it goes on"
    least = 0.05
    power = 2.0

    def measure(self, page: Examined) -> Measured:
        words = page.words
        total = len(words) - SHINGLE + 1
        if total < SHINGLE:
            return Measured(0.0)
        seen: set[tuple[str, ...]] = set()
        again = []
        for i, shingle in enumerate(zip(*(words[at : at + total] for at in range(SHINGLE)), strict=True)):
            if shingle in seen:
                again.append(i)
            else:
                seen.add(shingle)
        runs = _runs(again)
        weighed = math.fsum(len(run) * min(1.0, len(run) / WHOLE) for run in runs)
        spans = tuple(page.span(run[0], run[-1] + SHINGLE - 1) for run in runs)
        return Measured(weighed / total, {"repeated": len(again), "of": total}, spans[:PLACES])


def _runs(numbers: list[int]) -> list[list[int]]:
    """Numbers that follow one another closely, together."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number <= runs[-1][-1] + SHINGLE:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs
