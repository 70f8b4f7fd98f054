"""duplication: word sequences that occur on the page more than once."""

from __future__ import annotations

import math

from steelyard.detectors.base import MAX_PLACES, Detector, Measurement, PageWords

SHINGLE = 6  # words
WHOLE = 40  # repeated sequences in a row that are certainly a copy; shorter runs count less, since phrases recur


class Duplication(Detector):
    """The share of six-word sequences that occurred before on the page; long repeats count in full, short ones less."""

    lowest_threshold = 0.3
    exponent = 2.0

    def measure(self, page: PageWords) -> Measurement:
        words = page.words
        total = len(words) - SHINGLE + 1
        if total < SHINGLE:
            return Measurement(0.0)
        seen: set[tuple[str, ...]] = set()
        repeated = []
        for i, shingle in enumerate(zip(*(words[at : at + total] for at in range(SHINGLE)), strict=True)):
            if shingle in seen:
                repeated.append(i)
            else:
                seen.add(shingle)
        runs = _group_runs(repeated)
        weighted = math.fsum(len(run) * min(1.0, len(run) / WHOLE) for run in runs)
        spans = tuple(page.span(run[0], run[-1] + SHINGLE - 1) for run in runs)
        return Measurement(weighted / total, {"repeated": len(repeated), "of": total}, spans[:MAX_PLACES])


def _group_runs(numbers: list[int]) -> list[list[int]]:
    """Group sorted numbers into runs without large gaps."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number <= runs[-1][-1] + SHINGLE:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs
