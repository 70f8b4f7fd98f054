"""The number of syllables of an ASCII word, by its vowel groups."""

from __future__ import annotations

_VOWELS = frozenset("aeiouy")


def syllables(word: str) -> int:
    """Count vowel groups, less a silent final e (not after l: `table` has two); at least 1."""
    groups = 0
    inside = False
    for letter in word:
        is_vowel = letter in _VOWELS
        groups += is_vowel and not inside
        inside = is_vowel
    if groups > 1 and word.endswith("e") and not word.endswith(("le", "ee", "ie", "oe", "ye", "ue")):
        groups -= 1
    return max(1, groups)
