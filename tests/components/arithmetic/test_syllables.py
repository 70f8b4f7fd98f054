"""The syllable rule: its own cases, and how near it comes to the CMU Pronouncing Dictionary."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.components.arithmetic.syllables import syllables

REPEATABLE = settings(deadline=None, derandomize=True, max_examples=25)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("the", 1), ("make", 1), ("table", 2), ("tree", 1), ("queue", 1), ("movie", 2), ("cheese", 1), ("sky", 1),
        ("syllable", 3), ("entropy", 3), ("information", 4), ("university", 5), ("shh", 1), ("e", 1), ("", 1),
    ],
)  # fmt: skip
def test_syllables_are_vowel_groups_less_a_silent_final_e_and_at_least_1(word: str, expected: int):
    assert syllables(word) == expected


def test_syllables_agree_with_the_cmu_dictionary_on_nine_words_in_ten(oracle: Callable[[str], Any]):
    """A rule of vowel groups errs on -ed, -es and vowel + le; a dictionary would know. Loosening needs a decision."""
    words = oracle("syllables")["words"]
    assert len(words) >= 200
    wrong = [word for word, counts in words.items() if syllables(word) not in counts]
    assert len(wrong) <= 0.07 * len(words), wrong
    nearest = [min(counts, key=lambda n: abs(n - syllables(word))) for word, counts in words.items()]
    bias = sum(syllables(word) - n for word, n in zip(words, nearest, strict=True)) / len(words)
    assert abs(bias) <= 0.07


@REPEATABLE
@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", max_size=30))
def test_syllables_are_at_least_1_and_at_most_every_second_letter(word: str):
    assert 1 <= syllables(word) <= max(1, (len(word) + 1) // 2)
