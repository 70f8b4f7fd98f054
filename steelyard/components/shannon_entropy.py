"""shannon_entropy: how evenly the page spreads its tokens; repeated keywords pull it down."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from steelyard.components.arithmetic.information import entropy
from steelyard.components.arithmetic.numbers import clamp
from steelyard.components.base import Component, Counts, DegenerateCase, Parts, TextSpan
from steelyard.text.document import Document, once_per_page

TOP = 100  # most frequent tokens that enter H
MAX_SHOWN = 5  # repeated tokens shown as evidence, each at no more than this many places
MAX_LETTERS = (
    200  # of a token that is shown: no word is longer, and what repeats inside one is looked for at every letter
)


class ShannonEntropy(Component):
    """Entropy H of the 100 most frequent tokens over its maximum, plus a small bonus for vocabulary."""

    label = "even use of vocabulary"
    spec = "app:shannon"
    formula = "10 · min(10, 10·H/log2 V + min(1.5, log10(V)/3))"
    symbols = ("H", "V")
    degenerate = (
        DegenerateCase("fewer than 10 words", lambda doc: doc.n_words < 10, 30.0),
        DegenerateCase("fewer than 10 tokens", lambda doc: len(doc.kept_ids) < 10, 50.0),
        DegenerateCase("fewer than 5 distinct tokens", lambda doc: len(doc.kept_counts) < 5, 30.0),
    )

    def count(self, doc: Document) -> Counts:
        return _count(doc)

    def value(self, parts: Parts) -> float:
        vocabulary = parts["V"]
        flatness = parts["H"] / math.log2(vocabulary)
        bonus = min(1.5, math.log10(max(1, vocabulary)) / 3)
        return 10 * clamp(min(10.0, flatness * 10 + bonus), 0.0, 10.0)

    def evidence(self, doc: Document, counts: Counts) -> Iterable[TextSpan]:
        """Yield places of the most frequent tokens with at least three occurrences: they lower the entropy."""
        frequency, vocabulary = doc.kept_counts, doc.tokens.vocabulary
        shown = (i for i in frequency if frequency[i] >= 3 and len(vocabulary[i]) <= MAX_LETTERS)
        for i in sorted(shown, key=lambda i: -frequency[i])[:MAX_SHOWN]:
            word = vocabulary[i]
            places = re.finditer(rf"\b{word}\b", doc.lowered, re.ASCII)
            for place, _ in zip(places, range(MAX_SHOWN), strict=False):
                yield TextSpan(f"repeated:{word}", *place.span())


@once_per_page
def _count(doc: Document) -> Counts:
    counts = sorted(doc.kept_counts.values(), reverse=True)[:TOP]
    return Counts({"H": entropy(counts), "V": len(counts)})
