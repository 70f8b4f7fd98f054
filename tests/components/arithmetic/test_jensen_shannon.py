"""The Jensen-Shannon distance against scipy, and the paper's worked examples of the title score."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from steelyard.components.arithmetic.entropy import SMOOTHING, jensen_shannon
from steelyard.components.semantic_coherence import title_score

REPEATABLE = settings(deadline=None, derandomize=True, max_examples=25)
Pairs = list[tuple[int, int]]
PAIRS = st.lists(st.tuples(st.integers(0, 500), st.integers(0, 500)), min_size=1, max_size=50)


def both(pairs: Pairs, smoothing: float) -> tuple[list[float], list[float]]:
    """Two distributions over one vocabulary, neither of them empty."""
    assume(all(sum(side) > 0 for side in zip(*pairs, strict=True)))
    p, q = ([count + smoothing for count in side] for side in zip(*pairs, strict=True))
    return p, q


@pytest.mark.parametrize("smoothing", [0.0, SMOOTHING])
@REPEATABLE
@given(pairs=PAIRS)
def test_distance_equals_scipy_in_base_2(smoothing: float, pairs: Pairs):
    p, q = both(pairs, smoothing)
    # Of equal distributions scipy may take the root of -1e-17, which is NaN; the distance is 0.
    with np.errstate(invalid="ignore"):
        expected = np.nan_to_num(jensenshannon(p, q, base=2), nan=0.0)
    # The divergence is a difference of nearly equal sums, exact to about 1e-15; its root is exact to
    # 1e-9 only above 1e-3. Below, the divergences are compared.
    if expected > 1e-3:
        assert jensen_shannon(p, q) == pytest.approx(expected, rel=1e-9)
    else:
        assert jensen_shannon(p, q) ** 2 == pytest.approx(expected**2, abs=1e-12)


@REPEATABLE
@given(st.lists(st.integers(1, 500), min_size=1, max_size=50), st.integers(1, 9))
def test_distance_of_proportional_counts_is_0(counts: list[int], factor: int):
    assert jensen_shannon(counts, [factor * count for count in counts]) == pytest.approx(0.0, abs=1e-7)


def test_distance_of_disjoint_distributions_is_1():
    assert jensen_shannon([3, 1, 0, 0, 0], [0, 0, 2, 2, 5]) == pytest.approx(1.0, rel=1e-9)


def test_two_vocabularies_of_different_size_are_refused():
    with pytest.raises(ValueError, match="zip"):
        jensen_shannon([1, 2], [1, 2, 3])


@pytest.mark.parametrize(("d", "vocabulary", "score"), [(0.969, 45, 11.4), (1.0, 26, 7.1)])
@pytest.mark.parametrize("words", [40, 400])
def test_title_score_gives_the_values_of_the_papers_worked_examples(
    d: float, vocabulary: int, score: float, words: int
):
    """Up to 400 words there is no length bonus, so T is the printed T0."""
    assert round(title_score({"d": d, "V_c": vocabulary, "W": words}), 1) == score
