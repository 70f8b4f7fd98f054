"""The phrase books: what loading refuses, and what every sentence in them must be."""

from __future__ import annotations

import copy
import random
import re
from datetime import date
from itertools import chain, pairwise, product
from typing import Any

import pytest

from steelyard.components.quotable_density import FAMILIES as QUOTABLE
from steelyard.errors import InvalidFile, UnknownName
from steelyard.lab.edits import EDITS, phrasebook
from steelyard.lab.edits.base import PhrasebookEdit
from steelyard.lab.edits.phrasebook import parse
from steelyard.lab.edits.topics import COUNTED, is_counted_word
from steelyard.lab.protocol.variants import OPEN
from steelyard.languages import CODES as LANGUAGES
from steelyard.scoring import editions
from steelyard.scoring.freshness import parse_date
from steelyard.text.document import Document
from steelyard.text.source import Source
from tests.lab.edits.pages import count_more_ends, document, find_matches

WRITTEN = [edit.name for edit in EDITS if isinstance(edit, PhrasebookEdit) and not edit.phrases]
TOPICS = ("harbour", "ledger", "gauge")
each_language = pytest.mark.parametrize("language", LANGUAGES)


def fill(language: str, sentence: str, topics: tuple[str, ...] = TOPICS) -> str:
    return phrasebook.load(language).fill(sentence, topics, random.Random(3))


def every_sentence(language: str) -> list[tuple[str, str]]:
    """Every sentence of the book, with its edit."""
    sentences = phrasebook.load(language).sentences
    return [(edit, text) for edit, positions in sentences.items() for position in positions for text in position]


SMALL: dict[str, Any] = {
    "block_words": 4,
    "slots": {"person": ["Ann Weir", "Tom Hale"]},
    "numbers": {"year": [2019, 2020]},
    "quotation": {"sentences": [["{person} came.", "{person} left."], ["{topic1}."]]},
}


def small(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(SMALL), **changes}


def test_a_book_that_keeps_the_rules_is_read():
    book = parse("en", small(table={"sentences": ["quotation", ["| |\n|---|\n| - {topic1} ## |"]]}))
    assert book.sentences["table"][0] == book.sentences["quotation"][0]
    block = book.write_blocks("quotation", 1, TOPICS, random.Random(1))[0]
    assert block.endswith(" harbour.")
    assert len(block.split()) == book.block_words == 4


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"block_words": 5}, "en: quotation: a block has 4 words, not 5"),
        ({"slots": {"person": ["Ann Weir", "Tom"]}}, "en: slots.person: its values differ in their number"),
        ({"slots": {"person": ["Ann Weir", "Ann Weir"]}}, "en: slots.person: the same text is listed twice"),
        ({"slots": {"person": []}}, "en: slots.person: its values differ in their number"),
        ({"quotation": {"sentences": [["Too short.", "This is longer."]]}}, "differ in words: 2: Too short.…; 3: This"),
        ({"quotation": {"sentences": [["{surname} came here."]]}}, r"unknown slot {surname} in '{surname} came here.'"),
        ({"quotation": {"sentences": [["About {topic4} it is."]]}}, "unknown slot {topic4}"),
        ({"quotation": {"sentences": [["{Person} came here today."]]}}, "a brace that is no slot in '{Person} came"),
        ({"quotation": {"sentences": [["{person came here today."]]}}, "a brace that is no slot"),
        ({"quotation": {"sentences": [[]]}}, "sentences of one list differ in words"),
        ({"table": {"sentences": ["quotation", "quotatoin"]}}, "en: table: no edit 'quotatoin' whose sentences"),
        ({"table": {"sentences": ["quotation", ["| - | one two |"]]}}, "en: table: a block has 5 words, not 4"),
        (
            {"quotation": {"sentences": [["In {year} and {year}"], ["and {year}."]]}, "block_words": 6},
            "slot year is used 3 times and has 2 values",
        ),
        (
            {"quotation": {"sentences": [["{person} {person} {person}."]]}, "block_words": 6},
            "slot person is used 3 times and has 2 values",
        ),
    ],
)
def test_a_book_that_breaks_a_rule_is_refused_with_the_place(changes: dict[str, Any], message: str):
    with pytest.raises(InvalidFile, match=re.escape(message)):
        parse("en", small(**changes))


def test_a_language_without_a_book_is_refused_by_name():
    with pytest.raises(UnknownName, match="'nl'"):
        phrasebook.load("nl")


@each_language
def test_a_book_has_enough_for_exactly_the_edits_that_write(language: str):
    book = phrasebook.load(language)
    assert set(book.sentences) == set(WRITTEN)
    assert book.block_words == 72
    assert {len(positions) for positions in book.sentences.values()} == {3}
    lists = {position for positions in book.sentences.values() for position in positions}
    assert min(map(len, lists)) >= 3
    assert len({sentence for position in lists for sentence in position}) == sum(map(len, lists))
    ranges = sorted(book.slots.ranges.values())
    # Ranges that met could state one figure twice in a block, and the statistic would count once.
    assert all(low <= high for low, high in ranges)
    assert all(a[1] < b[0] for a, b in pairwise(ranges))
    days = [parse_date(text, document("", language).language) for text in book.slots.values["date"]]
    assert len(set(days)) == len(days) >= 8
    assert all(day and date(2026, 1, 1) <= day < date(2026, 6, 1) for day in days)


@each_language
def test_a_sentence_is_one_segment(language: str):
    for _, sentence in every_sentence(language):
        text = fill(language, sentence)
        doc = document(text, language)
        expected = 1 + count_more_ends(text, language)
        assert len([s for s in doc.segments if s[0] < s[1]]) == expected + ("et al." in text), sentence
        assert len(doc.sentences) == expected, sentence
        assert text.endswith((".", ". |"))


@each_language
def test_a_sentence_is_written_as_its_language_is(language: str):
    for edit, sentence in every_sentence(language):
        assert sentence.count('"') % 2 == 0, sentence
        assert sentence.count("«") == sentence.count("»"), sentence
        assert sentence.count("(") == sentence.count(")"), sentence
        assert ('"' in sentence or "«" in sentence) == (edit == "quotation"), sentence
        assert "  " not in sentence
        assert sentence == sentence.strip()
        assert "’" not in sentence
        if language == "fr":
            assert not re.search(r"[^\s\u00a0\u202f][»%:;!?]|«\S", sentence), sentence


@each_language
def test_a_sentence_holds_its_evidence_alone(language: str):
    """Every sentence of a list is as good as the others: the draw decides words, never the count."""
    expected = {"quotation": ("quotable", 1), "statistics": ("statistic", 2), "cite_sources": ("citation", 1)}
    if "quotable" not in document("", language).language.families:
        expected["quotation"] = ("quotation", 1)
    for edit, sentence in every_sentence(language):
        for family in (*QUOTABLE, "statistic", "citation"):
            held = len(find_matches(fill(language, sentence), language, family))
            if expected.get(edit, ("", 0))[0] == family:
                assert held >= expected[edit][1], sentence
            elif edit in ("technical_terms", "neutral_filler", *OPEN):
                assert held == 0, sentence


@each_language
def test_words_the_score_counts_by_themselves_are_known_as_such(language: str):
    listed = {
        "en": "stuff folks however therefore latest recently gonna awesome".split(),
        "fr": "truc boulot cependant néanmoins récemment désormais sympa".split(),
        "de": "krass Kumpel allerdings deshalb kürzlich neuerdings".split(),
        "es": "guay curro además recientemente actualmente".split(),
    }
    assert [w for w in listed[language] if not is_counted_word(w, language)] == []
    assert not any(is_counted_word(w, language) for w in TOPICS)


@each_language
def test_the_filler_stays_silent_around_common_nouns(language: str):
    """One word of the page stands in the filler; whatever it is, nothing may be counted."""
    for noun in (*TOPICS, "market", "music", "maison", "travail", "année", "Boden", "Wetter", "mercado", "música"):
        for sentence in phrasebook.load(language).sentences["neutral_filler"][0]:
            text = fill(language, sentence, (noun, noun, noun))
            assert [f for f in COUNTED if find_matches(text, language, f)] == []


@each_language
def test_structure_stays_silent_around_words_that_count_between_others(language: str):
    """As in “the means you”, “correspond au”, “bedeutet ein”, “consiste en”: a topic may be a verb of a pattern."""
    listed = {
        "en": "means stands works uses needs study report data section known called consists defined".split(),
        "fr": "correspond consiste signifiait équivaut désigne étude rapport données comprend permet".split(),
        "de": "bedeutet bezeichnet beschreibt besteht umfasst dient heißt Studie Bericht Daten Institut Polder".split(),
        "es": "significa consiste designa gracias respecto llamado denominada estudio datos muestra existen".split(),
    }
    topics = [word for word in listed[language] if not is_counted_word(word, language)]
    assert len(topics) > 5
    for edit, topic in product(("sub_headings", "table", "summary_first"), topics):
        for sentence in chain(*phrasebook.load(language).sentences[edit]):
            text = fill(language, sentence, (topic, topic, topic))
            assert [f for f in COUNTED if find_matches(text, language, f)] == [], text


@each_language
def test_no_edition_counts_anything_in_the_filler(language: str):
    for edition in map(editions.load, editions.NAMES):
        if language in edition.languages:
            read = edition.load_language(language)
            families = [family for family in COUNTED if family in read.families]
            for edit, sentence in every_sentence(language):
                if edit == "neutral_filler":
                    doc = Document(Source(fill(language, sentence)), read)
                    assert [family for family in families if doc.find(family)] == [], (edition.name, sentence)
