"""MMR against pyversity, and against the definition written out with numpy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.components.arithmetic.mmr import RELEVANCE_SHARE, select

REPEATABLE = settings(deadline=None, derandomize=True, max_examples=25)
# Sixty-fourths are exact in binary, so that equal candidates are equal and the rule for ties is tested too.
SHARES = st.integers(0, 64).map(lambda n: n / 64)


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[float], list[list[float]]]:
    n = draw(st.integers(0, 9))
    relevance = draw(st.lists(SHARES, min_size=n, max_size=n))
    similarity = np.eye(n)
    for i in range(n):
        for j in range(i):
            similarity[i, j] = similarity[j, i] = draw(SHARES)
    return relevance, similarity.tolist()


def select_by_definition(relevance: list[float], similarity: list[list[float]]) -> list[tuple[int, float]]:
    """Take the argmax of share * relevance - (1 - share) * max similarity to the selected, until it is not above 0."""
    selected: list[tuple[int, float]] = []
    matrix = np.array(similarity).reshape(len(relevance), len(relevance))
    while len(selected) < len(relevance):
        before = [i for i, _ in selected]
        redundancy = matrix[:, before].max(axis=1) if before else np.zeros(len(relevance))
        values = RELEVANCE_SHARE * np.array(relevance) - (1 - RELEVANCE_SHARE) * redundancy
        values[before] = -np.inf
        best = int(np.argmax(values))
        if values[best] <= 0:
            break
        selected.append((best, float(values[best])))
    return selected


@REPEATABLE
@given(problems())
def test_mmr_equals_the_definition_written_out(problem: tuple[list[float], list[list[float]]]):
    found, expected = select(*problem), select_by_definition(*problem)
    assert [i for i, _ in found] == [i for i, _ in expected]
    assert [v for _, v in found] == pytest.approx([v for _, v in expected], rel=1e-9)


def test_mmr_is_the_selection_of_pyversity_as_far_as_its_values_stay_above_0(oracle: Callable[[str], Any]):
    """pyversity goes on to the last candidate; the paper's selection stops where nothing is worth adding."""
    record = oracle("mmr")
    assert record["trade"] == RELEVANCE_SHARE
    stopped = 0
    for case in record["cases"]:
        worth = sum(value > 0 for value in case["values"])
        found = select(case["relevance"], case["similarity"])
        assert [i for i, _ in found] == case["order"][:worth], case["name"]
        # pyversity computes in single precision: about seven digits.
        assert [v for _, v in found] == pytest.approx(case["values"][:worth], rel=1e-5, abs=1e-6), case["name"]
        stopped += worth < len(case["values"])
    assert stopped >= 2


def test_mmr_prefers_the_first_of_equal_candidates_and_keeps_nothing_irrelevant():
    same = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    assert [i for i, _ in select([0.5, 0.5, 0.5], same)] == [0, 1, 2]
    assert select([0.0, 0.0, 0.0], same) == []
