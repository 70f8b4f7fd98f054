"""The gzip ratio against zlib's own gzip stream."""

import random
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.components.arithmetic.compression import diversity, gzip_ratio

REPEATABLE = settings(deadline=None, derandomize=True, max_examples=25)


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


@pytest.mark.parametrize(("ratio", "gamma"), [(0.05, 0.0), (0.1, 0.0), (0.55, 0.5), (1.0, 1.0), (1.4, 1.0)])
def test_diversity_is_the_ratio_from_a_tenth_to_one_stretched_over_0_to_1(
    ratio: float, gamma: float, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("steelyard.components.arithmetic.compression.gzip_ratio", lambda text: ratio)
    assert diversity("anything") == pytest.approx(gamma, rel=1e-9)
