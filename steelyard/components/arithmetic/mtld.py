"""MTLD, the Measure of Textual Lexical Diversity (McCarthy & Jarvis 2010), both directions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

THRESHOLD = 0.72


def _factors(tokens: Iterable[int], threshold: float) -> float:
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


def mtld(tokens: Sequence[int], threshold: float = THRESHOLD) -> float:
    """Return the mean of a forward and a backward pass; a text that repeats no token gives its own length."""
    if not tokens:
        return 0.0
    total = 0.0
    for factors in (_factors(tokens, threshold), _factors(reversed(tokens), threshold)):
        total += len(tokens) / factors if factors > 0 else len(tokens)
    return total / 2
