"""RAKE against rake-nltk: its candidates and scores, in our order (theirs breaks ties by the alphabet, backwards)."""

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

import pytest

from steelyard.components.arithmetic.rake import MAX_PHRASE_WORDS, TOP, extract_phrases


def split(pieces: Sequence[str], breaks: frozenset[str]) -> list[list[str]]:
    return [list(run) for stops, run in groupby(pieces, lambda piece: piece in breaks) if not stops]


def test_rake_ranks_the_phrases_of_rake_nltk_by_its_scores_and_ties_by_first_position(oracle: Callable[[str], Any]):
    record = oracle("rake")
    assert record["max_length"] == MAX_PHRASE_WORDS
    breaks = frozenset(record["stop_words"]) | frozenset(record["punctuation"])
    for case in record["cases"]:
        runs = split(case["pieces"], breaks)
        places = {" ".join(run): -i for i, run in reversed(list(enumerate(runs)))}
        # Two scores that differ in the last digits only are one score, summed in another order.
        expected = sorted(case["scores"], key=lambda p: (round(case["scores"][p], 9), places[p]), reverse=True)
        assert [" ".join(phrase) for phrase in extract_phrases(runs, top=100)] == expected, case["name"]
        assert [" ".join(phrase) for phrase in extract_phrases(runs)] == expected[:TOP], case["name"]


def test_the_oracle_holds_ties_long_runs_repetitions_and_more_phrases_than_are_kept(oracle: Callable[[str], Any]):
    record = oracle("rake")
    breaks = frozenset(record["stop_words"]) | frozenset(record["punctuation"])
    runs = [split(case["pieces"], breaks) for case in record["cases"]]
    assert any(len(set(case["scores"].values())) < len(case["scores"]) for case in record["cases"])
    assert any(len(case["scores"]) > TOP for case in record["cases"])
    assert any(len(run) > MAX_PHRASE_WORDS for found in runs for run in found)
    assert any(len(set(run)) < len(run) <= MAX_PHRASE_WORDS for found in runs for run in found)


@pytest.mark.parametrize("runs", [[], [[]], [["a", "b", "c", "d"]]])
def test_no_candidate_gives_no_phrase(runs: list[list[str]]):
    assert extract_phrases(runs) == []
