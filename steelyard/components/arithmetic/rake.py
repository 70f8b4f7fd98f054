"""RAKE key phrases (Rose et al. 2010): runs of content words, scored by degree over frequency."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

LONGEST_PHRASE = 3
TOP = 5


def phrases(runs: Sequence[Sequence[str]], *, longest: int = LONGEST_PHRASE, top: int = TOP) -> list[tuple[str, ...]]:
    """The best `top` distinct phrases among `runs` of content words, ties by first position.

    `runs` are the stretches between stop words and punctuation. A run longer than `longest`
    words is no candidate, as in the reference implementation.
    """
    candidates = [tuple(run) for run in runs if 0 < len(run) <= longest]
    frequency: dict[str, int] = {}
    degree: dict[str, int] = {}
    for phrase in candidates:
        for word in phrase:
            frequency[word] = frequency.get(word, 0) + 1
            degree[word] = degree.get(word, 0) + len(phrase)
    # Exact fractions: in floats, phrases that tie would be ordered by rounding noise.
    scores = {phrase: sum(Fraction(degree[w], frequency[w]) for w in phrase) for phrase in candidates}
    # dict order is first position, and sorted() is stable: equal scores stay in that order.
    return sorted(scores, key=lambda phrase: -scores[phrase])[:top]
