"""The tables of characters: equal to those of a Python of the same Unicode version, and used under any other."""

from __future__ import annotations

import re
import unicodedata

import pytest

from steelyard.text import characters
from steelyard.text.composition import compose_cluster
from tests.text.all_characters import choose_characters

EVERY = choose_characters()
own = pytest.mark.skipif(not characters.IS_OWN, reason="this Python's tables are of another version")


@own
def test_the_file_holds_the_tables_of_its_version() -> None:
    from tools.characters import render

    assert characters.read_table() == render()


@own
@pytest.mark.parametrize(
    ("name", "pattern"), [("letter", r"[^\W\d_]"), ("alnum", r"[^\W_]"), ("word", r"\w")]
)  # fmt: skip
def test_the_classes_from_the_tables_are_those_of_re(name: str, pattern: str) -> None:
    written = re.compile(characters.write_classes()[name])
    expected = re.compile(pattern)
    assert [c for c in EVERY if bool(written.match(c)) != bool(expected.match(c))] == []


@own
@pytest.mark.parametrize(
    ("names", "test"),
    [
        (("alpha",), str.isalpha),
        (("alpha", "decimal", "digit", "numeric"), str.isalnum),
        (("upper",), str.isupper),
        (("lower",), str.islower),
        (("title",), str.istitle),
    ],
)
def test_the_tests_from_the_tables_are_those_of_str(names: tuple[str, ...], test: object) -> None:
    found = characters.make_test(*names)
    assert [c for c in EVERY if found(c) != test(c)] == []  # type: ignore[operator]


@own
def test_lower_case_is_that_of_str_character_by_character() -> None:
    table = characters.read_lower()
    assert [c for c in EVERY if len(c.lower()) == 1 and chr(table.get(ord(c), ord(c))) != c.lower()] == []


def test_lower_case_keeps_the_length() -> None:
    assert characters.lower("ΟΔΟΣ İx ÄB") == "οδοσ İx äb"
    assert characters.lower("ASCII only") == "ascii only"


@own
def test_accents_are_composed_as_unicode_composes_them() -> None:
    marks = [chr(c) for c in range(0x300, 0x370)]
    letters = [c for c in EVERY if c.isalpha() and not "가" <= c <= "힣"]
    for letter in letters[::7]:
        for mark in marks[:: 1 if ord(letter) < 0x250 else 13]:
            for cluster in (letter + mark, letter + mark + "\u0301", letter + "\u0323" + mark):
                assert compose_cluster(cluster) == unicodedata.normalize("NFC", cluster)
