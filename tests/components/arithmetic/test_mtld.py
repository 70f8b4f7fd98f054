"""MTLD against lexicalrichness everywhere, and against lexical-diversity where its other rules make no difference."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.components.arithmetic.mtld import THRESHOLD, mtld

REPEATABLE = settings(deadline=None, derandomize=True, max_examples=25)
TOKENS = st.lists(st.integers(0, 12), min_size=1, max_size=120)


def factor_lengths(tokens: Sequence[Any]) -> tuple[list[int], int]:
    """The lengths of the full factors of one pass and of the rest, read off the definition without any state."""
    lengths, start = [], 0
    for end in range(1, len(tokens) + 1):
        if len(set(tokens[start:end])) / (end - start) <= THRESHOLD:
            lengths.append(end - start)
            start = end
    return lengths, len(tokens) - start


def test_mtld_equals_lexicalrichness_in_both_directions(oracle: Callable[[str], Any]):
    cases = oracle("mtld")["cases"]
    assert len(cases) >= 10
    for case in cases:
        tokens = case["tokens"].split()
        for threshold, expected in case["lexicalrichness"].items():
            found = mtld(tokens, float(threshold))
            assert found == pytest.approx(expected, rel=1e-9), (case["name"], threshold)


def test_mtld_equals_lexical_diversity_where_no_factor_is_short_or_ends_the_text(oracle: Callable[[str], Any]):
    """That library never closes a factor below ten tokens, at exactly 0.72, or at the last token; ours does."""
    compared = []
    for case in oracle("mtld")["cases"]:
        tokens = case["tokens"].split()
        passes = [factor_lengths(tokens), factor_lengths(tokens[::-1])]
        # A pass without any repetition counts 0 factors there, and its own length here.
        repeats = len(set(tokens)) < len(tokens)
        if (
            repeats
            and "0.72" not in case["name"]
            and all(min(full, default=10) >= 10 and rest for full, rest in passes)
        ):
            assert mtld(tokens) == pytest.approx(case["lexical-diversity"], rel=1e-9), case["name"]
            compared.append(case["name"])
    assert {"harbour", "compost", "cache"} <= set(compared)


@REPEATABLE
@given(TOKENS)
def test_mtld_follows_from_the_factor_lengths_of_the_definition(tokens: list[int]):
    directions = []
    for order in (tokens, tokens[::-1]):
        full, rest = factor_lengths(order)
        ratio = len(set(order[len(order) - rest :])) / rest if rest else 1.0
        factors = len(full) + (1 - ratio) / (1 - THRESHOLD)
        directions.append(len(order) / factors if factors else len(order))
    assert mtld(tokens) == pytest.approx(sum(directions) / 2, rel=1e-9)


def test_mtld_of_no_repetition_is_the_length_and_of_nothing_0():
    assert mtld(list(range(37))) == 37.0
    assert mtld([]) == 0.0
