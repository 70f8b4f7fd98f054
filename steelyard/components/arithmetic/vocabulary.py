"""Measures of words: MTLD for lexical diversity, syllables of English words, RAKE key phrases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

MTLD_THRESHOLD = 0.72
MAX_PHRASE_WORDS = 3
MAX_PHRASES = 5
_VOWELS = frozenset("aeiouy")


def _count_factors(tokens: Iterable[int], threshold: float) -> float:
    """Count the factors of one pass: one whenever the type-token ratio falls to the threshold, the rest in part."""
    factors = 0.0
    seen: set[int] = set()
    length = 0
    for token in tokens:
        length += 1
        seen.add(token)
        if len(seen) / length <= threshold:
            factors += 1.0
            seen.clear()
            length = 0
    if length:
        factors += (1.0 - len(seen) / length) / (1.0 - threshold)
    return factors


def mtld(tokens: Sequence[int], threshold: float = MTLD_THRESHOLD) -> float:
    """Return the Measure of Textual Lexical Diversity (McCarthy & Jarvis 2010).

    It is the mean of a forward and a backward pass; a text that repeats no token gives its own length.
    """
    if not tokens:
        return 0.0
    total = 0.0
    for factors in (_count_factors(tokens, threshold), _count_factors(reversed(tokens), threshold)):
        total += len(tokens) / factors if factors > 0 else len(tokens)
    return total / 2


def count_syllables(word: str) -> int:
    """Count the vowel groups of an ASCII word, less a silent final e (not after l: `table` has two); at least 1."""
    groups = 0
    inside = False
    for letter in word:
        is_vowel = letter in _VOWELS
        groups += is_vowel and not inside
        inside = is_vowel
    if groups > 1 and word.endswith("e") and not word.endswith(("le", "ee", "ie", "oe", "ye", "ue")):
        groups -= 1
    return max(1, groups)


def extract_phrases(runs: Sequence[Sequence[str]], top: int = MAX_PHRASES) -> list[tuple[str, ...]]:
    """Return the `top` best distinct phrases (RAKE, Rose et al. 2010); the first position wins a tie.

    A phrase is a run of content words, scored by the degree of its words over their frequency.
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
