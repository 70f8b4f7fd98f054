"""RAKE key phrases (Rose et al. 2010): runs of content words, scored by degree over frequency."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

MAX_PHRASE_WORDS = 3
TOP = 5


def extract_phrases(runs: Sequence[Sequence[str]], top: int = TOP) -> list[tuple[str, ...]]:
    """Return the `top` best distinct phrases among runs of content words; the first position wins a tie.

    Runs are the stretches between stop words and punctuation. A run of more than three words
    is not a candidate, as in the reference implementation.
    """
    candidates = [tuple(run) for run in runs if 0 < len(run) <= MAX_PHRASE_WORDS]
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
