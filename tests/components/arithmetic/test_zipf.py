"""Our table of Zipf frequencies against wordfreq itself."""

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import wordfreq
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.languages import frequencies as wordlists

REPEATABLE = settings(deadline=None, derandomize=True, max_examples=50)
SAMPLE = 1500  # words of each kind: wordfreq takes about 10 microseconds for one
WORDS = st.text(alphabet="abé", max_size=4).filter(bool)


def forget() -> None:
    """Empty the module's memory, so that the next question reads the table again."""
    for value in vars(wordlists).values():
        if hasattr(value, "cache_clear"):
            value.cache_clear()


@pytest.fixture(scope="module", autouse=True)
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where tables built by the code under test are; an earlier version may have left others in the user's cache."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STEELYARD_CACHE", str(folder / "steelyard"))
        forget()
        yield folder
    forget()


@pytest.fixture(scope="module")
def listed() -> list[str]:
    """wordfreq's English words of ASCII letters, the most frequent first."""
    return [word for word in wordfreq.iter_wordlist("en") if re.fullmatch("[a-z]+", word)]


def test_zipf_equals_wordfreq_for_frequent_middling_and_rare_words(listed: list[str]):
    chosen = [*listed[:SAMPLE], *random.Random(1).sample(listed[SAMPLE:-SAMPLE], SAMPLE), *listed[-SAMPLE:]]
    chosen += [min(listed), max(listed)]
    forget()  # few enough words for every one of them to be searched in the file
    assert len(set(chosen)) < wordlists.ENOUGH_ASKED
    assert {word: wordlists.zipf(word) for word in chosen} == {
        word: wordfreq.zipf_frequency(word, "en") for word in chosen
    }


def test_zipf_equals_wordfreq_for_every_listed_ascii_word(listed: list[str]):
    """By wordfreq's own frequencies, rounded to hundredths as zipf_frequency rounds them."""
    frequencies = wordfreq.get_frequency_dict("en")
    expected = {word: round(wordfreq.freq_to_zipf(frequencies[word]), 2) for word in listed}
    assert len(expected) > 200_000
    assert {word: wordlists.zipf(word) for word in listed} == expected


def test_zipf_of_words_that_wordfreq_does_not_list_is_0(listed: list[str]):
    known, rng = frozenset(listed), random.Random(2)
    absent = {"".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(5, 14))) for _ in range(SAMPLE)} - known
    absent |= {f"{word}q" for word in listed[:SAMPLE]} - known
    assert len(absent) > SAMPLE
    forget()
    assert (
        {wordlists.zipf(word) for word in absent} == {wordfreq.zipf_frequency(word, "en") for word in absent} == {0.0}
    )


@REPEATABLE
@given(st.text(alphabet="aeinorst", min_size=1, max_size=6))
def test_zipf_equals_wordfreq_for_any_string_of_letters(word: str):
    assert wordlists.zipf(word) == wordfreq.zipf_frequency(word, "en")


@REPEATABLE
@given(st.dictionaries(WORDS, st.integers(1, 900), min_size=1, max_size=12), st.lists(WORDS, max_size=12))
def test_the_search_in_the_table_finds_what_a_dict_would(numbers: dict[str, int], others: list[str]):
    lines = sorted((word.encode(), number) for word, number in numbers.items())
    table = wordlists.WordTable(b"\n".join(b"%s %d" % line for line in lines))
    assert [table.get(word) for word in (*numbers, *others)] == [numbers.get(word, 0) for word in (*numbers, *others)]


def test_the_table_read_back_from_the_cache_gives_the_values_that_were_built(tables: Path, listed: list[str]):
    chosen = listed[::500]
    for path in tables.rglob("zipf-en-*"):
        path.unlink()
    forget()
    built = [wordlists.zipf(word) for word in chosen]
    assert list(tables.rglob("zipf-en-*"))
    forget()
    assert [wordlists.zipf(word) for word in chosen] == built


def test_rarity_falls_from_1_for_an_unlisted_word_to_0_for_the_most_frequent():
    assert wordlists.rarity("the") == 0.0
    assert wordlists.rarity("zzqxv") == 1.0
    for word in ("harbour", "nitrogen", "entropy"):
        assert wordlists.rarity(word) == pytest.approx((7 - wordfreq.zipf_frequency(word, "en")) / 7, rel=1e-9)


def test_the_unknown_words_are_those_below_zipf_2_in_english_and_in_french():
    known: set[str] = set()
    asked: list[str] = []
    for language in ("en", "fr"):
        # Row i holds the words of -i centibels, that is of zipf 9 - i / 100.
        for i, words in enumerate(wordfreq.get_frequency_list(language)):
            if 9 - i / 100 >= 2:
                known.update(piece for word in words for piece in re.findall(r"[^\W\d_]+", word))
            asked += [word for word in words[::100] if re.fullmatch(r"[^\W\d_]+", word)]
    assert len(asked) > 2000
    unknown = [word for word in asked if word not in known]
    assert 0 < len(unknown) < len(asked)
    assert wordlists.unknown(asked, ("en", "fr")) == unknown
