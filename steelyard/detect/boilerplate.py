"""boilerplate: sentences made of what sites print around any content, whatever the page is about."""

from __future__ import annotations

from collections import Counter

from steelyard.detect.base import Detector, Measured
from steelyard.detect.page import Examined

DENSE = 0.22  # share of furniture words from which a sentence is furniture
SHORTEST = 5  # words of a sentence that is judged


class Boilerplate(Detector):
    """The share of words in furniture sentences that take up nothing of the rest of the page."""

    about = "the share of words in sentences of page furniture that have nothing to do with the rest of the page"
    least = 0.05

    def measure(self, page: Examined) -> Measured:
        furniture = page.lists["furniture"]
        counts = Counter(page.words)
        words = 0.0
        spans = []
        for first, last in page.sentences:
            size = last - first
            if size < SHORTEST:
                continue
            held = page.words[first:last]
            marks = sum(w in furniture for w in held)
            if marks < DENSE * size:
                continue
            # Content words that the page uses elsewhere tie the sentence to it; furniture does not.
            own = Counter(held)
            content = [
                w
                for w, function in zip(held, page.function[first:last], strict=True)
                if not function and w not in furniture
            ]
            tied = sum(counts[w] > own[w] for w in content)
            apart = 1 - tied / len(content) if content else 1.0
            words += size * apart
            spans.append(page.span(first, last - 1))
        share = words / len(page) if len(page) else 0.0
        return Measured(share, {"sentences": len(spans)}, tuple(spans[:20]))
