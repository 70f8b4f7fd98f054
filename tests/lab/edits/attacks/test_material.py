"""The attacks' texts are enough, differ, and are written as their language writes."""

from __future__ import annotations

import re

import pytest

from steelyard.lab.edits.attacks import material
from steelyard.lab.edits.attacks.boilerplate_padding import STYLES
from steelyard.lab.edits.phrasebook import PhrasesInvalid
from steelyard.languages import CODES as LANGUAGES

each_language = pytest.mark.parametrize("language", LANGUAGES)
EMPTY: dict = {"slots": {}, "numbers": {}, "synonyms": {"pairs": []}}


def texts(language: str) -> list[str]:
    book = material.load(language)
    return [t for section, lists in book.sections.items() if section != "markup" for v in lists.values() for t in v]


@each_language
def test_there_is_enough_of_everything(language: str):
    book = material.load(language)
    assert set(book.sections["boilerplate"]) == set(STYLES)
    assert sum(len(v) for v in book.sections["boilerplate"].values()) >= 60
    assert len(book.list("instructions", "orders")) >= 30
    assert sum(map(len, book.synonyms.values())) / 2 >= 150
    assert len(book.list("markup", "hidden")) >= 20


def test_both_languages_have_the_same_lists():
    en, fr = (material.load(language) for language in LANGUAGES)
    assert {s: set(lists) for s, lists in en.sections.items()} == {s: set(lists) for s, lists in fr.sections.items()}
    assert set(en.slots) == set(fr.slots)
    assert en.numbers == fr.numbers


@each_language
def test_the_orders_do_not_all_begin_alike(language: str):
    orders = material.load(language).list("instructions", "orders")
    assert len({order.split()[0] for order in orders}) >= 25


@each_language
def test_every_slot_and_number_is_used(language: str):
    book = material.load(language)
    used = {
        slot
        for lists in book.sections.values()
        for v in lists.values()
        for t in v
        for slot in re.findall(r"\{(\w+)\}", t)
    }
    assert (set(book.slots) | set(book.numbers)) <= used


def test_french_marks_stand_after_a_no_break_space():
    for text in texts("fr"):
        prose = re.sub(r"https?://\S+|\*\*", "", text)
        assert not re.search(r"[^\u00a0][:?!;%»](?:\s|$)", prose), text


@each_language
def test_no_text_has_a_double_space_or_a_straight_slip(language: str):
    for text in texts(language):
        assert "  " not in text
        assert text == text.strip()
        assert text.count("{") == text.count("}")


@each_language
def test_a_synonym_is_one_word_in_lower_case(language: str):
    for word, others in material.load(language).synonyms.items():
        for other in (word, *others):
            assert re.fullmatch(r"[^\W\d_]+", other), other
            assert other == other.lower()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (EMPTY | {"links": {"anchors": ["buy", "buy"]}}, "links.anchors: a text stands in it twice"),
        (EMPTY | {"links": {"anchors": ["{who}"]}}, "unknown slot {who}"),
        (EMPTY | {"slots": {"city": ["Lyon", "Lyon"]}}, "slots.city: a text stands in it twice"),
        (EMPTY | {"synonyms": {"pairs": [["big", "big"]]}}, "big = big says nothing"),
        (EMPTY | {"synonyms": {"pairs": [["big", "large"], ["large", "big"]]}}, "says it again"),
    ],
)
def test_a_rule_that_is_broken_is_named(data: dict, message: str):
    with pytest.raises(PhrasesInvalid, match=re.escape(message)):
        material.parse("en", data)
