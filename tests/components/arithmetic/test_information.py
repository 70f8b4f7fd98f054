"""Entropy and Jensen-Shannon distance against scipy, the gzip ratio against zlib, and worked examples of the paper."""

import math
import random
import zlib

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from steelyard.components.arithmetic.information import SMOOTHING, diversity, entropy, gzip_ratio, jensen_shannon
from steelyard.components.semantic_coherence import title_score
from steelyard.components.shannon_entropy import ShannonEntropy

REPEATABLE = settings(deadline=None, derandomize=True, max_examples=25)
COUNTS = st.lists(st.integers(1, 10**6), min_size=1, max_size=120)


@REPEATABLE
@given(COUNTS)
def test_entropy_equals_scipy_on_the_smoothed_counts(counts: list[int]):
    expected = scipy.stats.entropy(np.array(counts) + SMOOTHING, base=2)
    assert entropy(counts) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_entropy_of_equal_counts_is_the_logarithm_of_their_number_and_of_none_0():
    for n in (1, 2, 3, 10, 43, 100):
        assert entropy([7] * n) == pytest.approx(math.log2(n), rel=1e-9, abs=1e-12), n
    assert entropy([]) == 0.0


def test_the_papers_worked_examples():
    """The paper prints its inputs to three decimals and its values to one."""
    for bits, vocabulary, value in ((5.414, 43, 100.0), (3.384, 13, 95.2)):
        assert round(ShannonEntropy().value({"H": bits, "V": vocabulary}), 1) == value
    for distance, vocabulary, score in ((0.969, 45, 11.4), (1.0, 26, 7.1)):
        for words in (40, 400):  # up to 400 words there is no length bonus, so T is the printed T0
            assert round(title_score({"d": distance, "V_c": vocabulary, "W": words}), 1) == score


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


def test_distance_of_disjoint_distributions_is_1_and_of_two_vocabularies_refused():
    assert jensen_shannon([3, 1, 0, 0, 0], [0, 0, 2, 2, 5]) == pytest.approx(1.0, rel=1e-9)
    with pytest.raises(ValueError, match="zip"):
        jensen_shannon([1, 2], [1, 2, 3])


def gzip_size(data: bytes, level: int = 9) -> int:
    """16 added to the window bits makes zlib write the header of gzip, without time and name, and its trailer."""
    stream = zlib.compressobj(level=level, method=zlib.DEFLATED, wbits=16 + zlib.MAX_WBITS)
    return len(stream.compress(data) + stream.flush())


@REPEATABLE
@given(st.text(min_size=1, max_size=200) | st.text(alphabet="abc ", min_size=1, max_size=800))
def test_gzip_ratio_equals_the_size_of_zlibs_gzip_stream_at_level_9_over_the_utf_8_bytes(text: str):
    data = text.encode("utf-8", "replace")
    assert gzip_ratio(text) == gzip_size(data) / len(data)


def test_gzip_ratio_is_that_of_level_9_where_the_levels_differ(prose: list[list[str]]):
    words, rng = [word for tokens in prose for word in tokens], random.Random(1)
    data = " ".join(rng.choices(words, k=20_000)).encode()
    assert gzip_size(data, 9) != gzip_size(data, 6)
    assert gzip_ratio(data.decode()) == gzip_size(data, 9) / len(data)


def test_repeating_a_text_lowers_its_ratio_and_its_diversity(prose: list[list[str]]):
    for tokens in prose:
        text = " ".join(tokens)
        assert gzip_ratio(f"{text} {text}") < gzip_ratio(text) < 1.0
        assert diversity(f"{text} {text}") < diversity(text)


def test_an_empty_text_and_a_lone_surrogate_have_a_ratio():
    assert gzip_ratio("") == 1.0
    assert gzip_ratio("\ud800 abc") == gzip_ratio("? abc")


def test_diversity_is_the_ratio_from_a_tenth_to_one_stretched_over_0_to_1(monkeypatch: pytest.MonkeyPatch):
    for ratio, gamma in ((0.05, 0.0), (0.1, 0.0), (0.55, 0.5), (1.0, 1.0), (1.4, 1.0)):
        monkeypatch.setattr("steelyard.components.arithmetic.information.gzip_ratio", lambda text, ratio=ratio: ratio)
        assert diversity("anything") == pytest.approx(gamma, rel=1e-9), ratio
