"""Sentences and where their citations go."""

from __future__ import annotations

import time

import pytest

from steelyard.lab.outcome.engines import sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("It costs 3.5 euros. See example.com for more.", ["It costs 3.5 euros.", "See example.com for more."]),
        ("Dr. Smith came, e.g. today. He left.", ["Dr. Smith came, e.g. today.", "He left."]),
        ("It grew approx. ten times. no doubt", ["It grew approx. ten times. no doubt"]),
        ('He said "no." She left.', ['He said "no."', "She left."]),
        ("Paris is big. [1] Rome is old.[2][3] Bonn [4].", ["Paris is big. [1]", "Rome is old.[2][3]", "Bonn [4]."]),
        ("1. First point. 2. Second point.", ["1. First point.", "2. Second point."]),
        ("# Title\nBody goes\non here.\n- one\n- two", ["# Title", "Body goes on here.", "- one", "- two"]),
        ("a block\n\nanother", ["a block", "another"]),
    ],
)  # fmt: skip
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]):
    assert list(sentences.split(text)) == expected


def test_what_never_ends_is_cut():
    assert [len(s.split()) for s in sentences.split("word " * 25, 10)] == [10, 10, 5]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("It is so.", "It is so [2]."),
        ("Is it so?", "Is it so [2]?"),
        ("It is so", "It is so [2]."),
        ('He said "no."', 'He said "no" [2].'),
        ("Wait...", "Wait [2]."),
        ("", " [2]."),
    ],
)
def test_a_citation_stands_before_the_full_stop(sentence: str, expected: str):
    assert sentences.add_citation(sentence, 2) == expected


@pytest.mark.parametrize("unit", ["!", ". ", "[1]", "a. ", ".\n", "# ", '."', "[1", "\u2028", "9."])
def test_a_large_text_of_anything_takes_seconds_at_most(unit: str):
    started = time.process_time()
    for _ in sentences.split(unit * (400_000 // len(unit)) + "x"):
        pass
    assert time.process_time() - started < 4
