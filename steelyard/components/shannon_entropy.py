"""shannon_entropy: how evenly the page spreads its tokens; repeated keywords pull it down."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from steelyard.components.arithmetic.entropy import entropy
from steelyard.components.arithmetic.numbers import clamp
from steelyard.components.base import Component, Counted, Degenerate, Found, Parts
from steelyard.text.document import Document

TOP = 100  # most frequent tokens that enter H
SHOWN = 5  # repeated tokens shown as evidence, each with this many places


class ShannonEntropy(Component):
    """Entropy H of the 100 most frequent tokens over its maximum, plus a small bonus for vocabulary."""

    spec = "app:shannon"
    formula = "10 · min(10, 10·H/log2 V + min(1.5, log10(V)/3))"
    symbols = ("H", "V")
    degenerate = (
        Degenerate("fewer than 10 words", lambda doc: doc.n_words < 10, 30.0),
        Degenerate("fewer than 10 tokens", lambda doc: len(doc.kept_ids) < 10, 50.0),
        Degenerate("fewer than 5 distinct tokens", lambda doc: len(doc.kept_counts) < 5, 30.0),
    )

    def count(self, doc: Document) -> Counted:
        return doc.memo(self.name, lambda: _count(doc))

    def value(self, parts: Parts) -> float:
        vocabulary = parts["V"]
        flatness = parts["H"] / math.log2(vocabulary)
        bonus = min(1.5, math.log10(max(1, vocabulary)) / 3)
        return 10 * clamp(min(10.0, flatness * 10 + bonus), 0.0, 10.0)

    def evidence(self, doc: Document, counted: Counted) -> Iterable[Found]:
        """Where the tokens stand that occur most, and at least three times: they cost the entropy."""
        counts = doc.kept_counts
        often = sorted((i for i in counts if counts[i] >= 3), key=lambda i: -counts[i])[:SHOWN]
        for i in often:
            word = doc.tokens.vocabulary[i]
            places = re.finditer(rf"\b{word}\b", doc.lowered, re.ASCII)
            for place, _ in zip(places, range(SHOWN), strict=False):
                yield Found(f"repeated:{word}", *place.span())


def _count(doc: Document) -> Counted:
    counts = sorted(doc.kept_counts.values(), reverse=True)[:TOP]
    return Counted({"H": entropy(counts), "V": len(counts)})
