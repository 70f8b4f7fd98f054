"""The attacks' texts are enough, differ, and are written as their language writes."""

from __future__ import annotations

import re

import pytest

from steelyard.errors import InvalidFile
from steelyard.lab.edits.attacks.boilerplate_padding import STYLES
from steelyard.lab.edits.attacks.texts import load_texts, parse
from steelyard.languages import CODES as LANGUAGES

each_language = pytest.mark.parametrize("language", LANGUAGES)
EMPTY: dict = {"slots": {}, "numbers": {}, "synonyms": {"pairs": []}}


def texts(language: str) -> list[str]:
    book = load_texts(language)
    return [t for section, lists in book.lists.items() if section != "markup" for v in lists.values() for t in v]


@each_language
def test_there_is_enough_of_everything(language: str):
    book = load_texts(language)
    assert set(book.lists["boilerplate"]) == set(STYLES)
    assert sum(len(v) for v in book.lists["boilerplate"].values()) >= 60
    orders = book.lists["instructions"]["orders"]
    assert len(orders) >= 30
    assert len({order.split()[0] for order in orders}) >= 25
    assert sum(map(len, book.synonyms.values())) / 2 >= 150
    assert len(book.lists["markup"]["hidden"]) >= 20
    templates = [t for lists in book.lists.values() for v in lists.values() for t in v]
    assert set(book.slots.names) <= set(re.findall(r"\{(\w+)\}", " ".join(templates)))


@each_language
def test_every_language_has_the_same_lists(language: str):
    english, other = load_texts("en"), load_texts(language)
    assert {s: set(lists) for s, lists in english.lists.items()} == {s: set(lists) for s, lists in other.lists.items()}
    assert set(english.slots.values) == set(other.slots.values)
    assert english.slots.ranges == other.slots.ranges


def test_french_marks_stand_after_a_no_break_space():
    for text in texts("fr"):
        prose = re.sub(r"https?://\S+|\*\*", "", text)
        assert not re.search(r"[^\u00a0][:?!;%»](?:\s|$)", prose), text


@each_language
def test_texts_and_synonyms_are_cleanly_written(language: str):
    for text in texts(language):
        assert "  " not in text
        assert text == text.strip()
        assert text.count("{") == text.count("}")
    for word, others in load_texts(language).synonyms.items():
        assert all(re.fullmatch(r"[^\W\d_]+", w) and w == w.lower() for w in (word, *others)), word


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (EMPTY | {"links": {"anchors": ["buy", "buy"]}}, "links.anchors: the same text is listed twice"),
        (EMPTY | {"links": {"anchors": ["{who}"]}}, "unknown slot {who}"),
        (EMPTY | {"slots": {"city": ["Lyon", "Lyon"]}}, "slots.city: the same text is listed twice"),
        (EMPTY | {"synonyms": {"pairs": [["big", "big"]]}}, "big = big is a word and itself"),
        (EMPTY | {"synonyms": {"pairs": [["big", "large"], ["large", "big"]]}}, "a pair listed twice"),
    ],
)
def test_a_rule_that_is_broken_is_named(data: dict, message: str):
    with pytest.raises(InvalidFile, match=re.escape(message)):
        parse("en", data)
