"""The word tables: their bytes are those recorded, they are sorted, and a search finds what a dict would."""

from __future__ import annotations

import hashlib
import itertools
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard import languages
from steelyard.languages import frequencies
from steelyard.languages.frequencies import WordTable, find_unknown, rarity, zipf

FOLDER = Path(frequencies.__file__).parent
TABLES = [
    (code, name.removesuffix("_sha256"), digest)
    for code in languages.CODES
    for name, digest in languages.read_settings(code)["tables"].items()
]
WORDS = st.text(alphabet="abé", max_size=4).filter(bool)


@pytest.mark.parametrize(("code", "name", "digest"), TABLES)
def test_a_table_has_the_recorded_digest_and_is_sorted_by_its_words(code: str, name: str, digest: str):
    data = (FOLDER / code / f"{name}.txt").read_bytes()
    assert hashlib.sha256(data).hexdigest() == digest
    words = [line.partition(b" ")[0] for line in data.split(b"\n")]
    assert all(words)
    assert all(a < b for a, b in itertools.pairwise(words))


def test_every_table_of_the_package_is_recorded():
    assert {f"{code}/{name}.txt" for code, name, _ in TABLES} == {
        path.relative_to(FOLDER).as_posix() for path in FOLDER.glob("*/*.txt")
    }


def test_known_words_have_their_zipf_frequency_and_rarity():
    frequencies_by_word = {
        "the": 7.73, "color": 4.91, "colour": 4.49, "entropy": 3.28, "a": 7.36, "zzqxv": 0.0, "été": 0.0,
    }  # fmt: skip
    assert {word: zipf(word) for word in frequencies_by_word} == frequencies_by_word
    assert (rarity("the"), rarity("zzqxv")) == (0.0, 1.0)
    assert rarity("entropy") == pytest.approx((7 - 3.28) / 7, rel=1e-12)


def test_unknown_words_are_those_on_none_of_the_lists():
    words = ["the", "colour", "registre", "déjà", "zzqxv", "wrtk", "\ud800"]
    assert find_unknown(words, ("en", "fr")) == ["zzqxv", "wrtk", "\ud800"]
    assert find_unknown(words, ("en",)) == ["registre", "zzqxv", "wrtk", "\ud800"]


@settings(deadline=None, derandomize=True, max_examples=50)
@given(st.dictionaries(WORDS, st.integers(1, 900), min_size=1, max_size=12), st.lists(WORDS, max_size=12))
def test_a_search_in_the_table_finds_what_a_dict_would(numbers: dict[str, int], others: list[str]):
    lines = sorted((word.encode(), number) for word, number in numbers.items())
    table = WordTable(b"\n".join(b"%s %d" % line for line in lines))
    assert [table.get(word) for word in (*numbers, *others)] == [numbers.get(word, 0) for word in (*numbers, *others)]


def test_many_lookups_give_the_same_numbers_as_a_search(monkeypatch: pytest.MonkeyPatch):
    data = (FOLDER / "en" / "frequencies.txt").read_bytes()
    words = [line.partition(b" ")[0].decode() for line in data.split(b"\n")[::500]]
    searched = WordTable(data)
    expected = [searched.get(word) for word in words]
    monkeypatch.setattr(frequencies, "INDEX_AFTER", 5)
    indexed = WordTable(data)
    assert [indexed.get(word) for word in words] == expected
    assert indexed.get("zzqxv") == 0
