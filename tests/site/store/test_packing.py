"""Pages split and packed for the store."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from importlib import resources
from typing import Any

import pytest

from steelyard.site.store.packing import DICTIONARY, join_page, pack_text, split_page, unpack_text

Score = Callable[..., dict[str, Any]]
TEXT = "# Weighing\n\n" + "The master of the weighhouse kept a book of every load. " * 20


def test_the_dictionary_never_changes() -> None:
    """Every store holds parts that were packed with it; a better one needs a new name and a new number."""
    data = resources.files("steelyard.site.store").joinpath(DICTIONARY).read_bytes()
    assert hashlib.sha256(data).hexdigest() == "45c3dad7e066543cfe3f7a8032c7923c40e8ad8616e2428e93e4025591954ab1"


@pytest.mark.parametrize("place", ["https://a.org/", "https://a.org/elsewhere"])
def test_a_page_is_put_together_again_in_its_order(score: Score, place: str) -> None:
    page = {key: value for key, value in score(TEXT, place).items() if key != "text"}
    reading, dated = split_page(page, "https://a.org/", "c")
    again = join_page(reading.body, dated.body, "https://a.org/", page["score"], page["freshness"])
    assert json.dumps(again) == json.dumps(page)
    assert len(reading.body) < 1_500  # a page of some 5,000 characters of JSON


def test_a_number_that_is_none_is_refused(score: Score) -> None:
    with pytest.raises(ValueError, match="JSON"):
        split_page({**score(TEXT), "cap": float("nan")}, "https://a.org/", "c")


@pytest.mark.parametrize("text", ["", "plain", "\ud800 half", "\x00", "é" * 100_000])
def test_any_text_is_packed_and_unpacked(text: str) -> None:
    assert unpack_text(pack_text(text)) == text
