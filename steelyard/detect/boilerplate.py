"""boilerplate: sentences made of what sites print around any content, whatever the page is about."""

from __future__ import annotations

import heapq
import math
from collections import Counter

from steelyard.detect.base import Detector, Measured
from steelyard.detect.page import Examined

SHORTEST = 4  # words of a sentence that is judged
NEAR = 2  # words: furniture this close to "we", "our" or "your" speaks for the site, and counts twice
USUAL = 0.3  # marks a word that a sentence may hold
STRONGEST = 3  # sentences that count: a page is padded somewhere, not everywhere


class Boilerplate(Detector):
    """Marks of page furniture beyond what a sentence may hold, in the three strongest that stand apart from the page.

    A mark is a furniture word, one more for the site's own voice beside it, and one more for furniture beside
    furniture ("privacy policy", "contact us").
    """

    about = "marks of page furniture in the three strongest sentences that have nothing to do with the rest of the page"
    least = 2.0

    def measure(self, page: Examined) -> Measured:
        counts = Counter(page.words)
        found = []
        for first, last in page.sentences:
            beyond = _marks(page, first, last) - USUAL * (last - first)
            if last - first >= SHORTEST and beyond > 0:
                found.append((beyond * _apart(page, first, last, counts) ** 3, first, last))
        strongest = heapq.nlargest(STRONGEST, found)
        spans = tuple(sorted(page.span(first, last - 1) for value, first, last in strongest if value > 0))
        return Measured(math.fsum(value for value, _, _ in strongest), {"sentences": len(found)}, spans)


def _marks(page: Examined, first: int, last: int) -> float:
    """Furniture words, with what stands beside them."""
    furniture, voice, words = page.lists["furniture"], page.lists["voice"], page.words
    held = [words[i] in furniture for i in range(first, last)]
    marks = 0.0
    for at, is_furniture in enumerate(held):
        if is_furniture:
            near = words[max(first, first + at - NEAR) : min(last, first + at + NEAR + 1)]
            marks += 2.0 if any(w in voice for w in near) else 1.0
            marks += (at > 0 and held[at - 1]) + 0.5 * (at > 1 and held[at - 2])
    return marks


def _apart(page: Examined, first: int, last: int, counts: Counter[str]) -> float:
    """The share of a sentence's other content words that the page uses nowhere else."""
    furniture = page.lists["furniture"]
    held = page.words[first:last]
    own = Counter(held)
    content = [
        word
        for word, function in zip(held, page.function[first:last], strict=True)
        if not function and word not in furniture and word[0].isalpha()
    ]
    tied = sum(counts[word] > own[word] for word in content)
    return 1 - tied / len(content) if content else 1.0
