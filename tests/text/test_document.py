"""A Document: words, segments, tokens, sections and matches over one reading text."""

from __future__ import annotations

import pytest

from steelyard.text.document import Document, once_per_page, unify_characters
from steelyard.text.source import Source
from tests.contract.shared import PROSE, STRUCTURED, document


def tokens(text: str) -> list[str]:
    found = document(text).tokens
    return [found.vocabulary[i] for i in found.ids]


def segments(text: str) -> list[str]:
    doc = document(text)
    return [doc.text[a:b] for a, b in doc.segments]


def sentences(text: str) -> list[str]:
    doc = document(text)
    return [doc.text[slice(*doc.segments[i])] for i in doc.sentences]


# Tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("The Tide", ["the", "tide"]),
        ("caféine", ["caf", "ine"]),
        ("naïve", ["na", "ve"]),
        ("abc123", []),
        ("123abc", []),
        ("a_b", []),
        ("snake_case tide", ["tide"]),
        ("don't", ["don", "t"]),
        ("don’t", ["don", "t"]),
        ("well-known", ["well", "known"]),
        ("tide.level", ["tide", "level"]),
        ("U.S.", ["u", "s"]),
        ("水 Ωμέγα שלום", []),
        ("14%", []),
        ("the 水tide", ["the", "tide"]),
    ],
)
def test_tokens_are_runs_of_ascii_letters_between_ascii_boundaries(text: str, expected: list[str]):
    assert tokens(text) == expected


def test_tokens_get_integers_in_the_order_of_their_first_appearance():
    found = document("The tide and the level. The tide!").tokens
    assert found.ids == [0, 1, 2, 0, 3, 0, 1]
    assert found.vocabulary == ["the", "tide", "and", "level"]
    assert found.bounds == [0, 5, 7]


def test_short_and_stop_words_are_not_kept():
    doc = document("The tide is up at an old pier, and the tide is in it.")
    kept = [doc.tokens.vocabulary[i] for i in doc.kept_ids]
    assert kept == ["tide", "old", "pier", "tide"]
    assert {doc.tokens.vocabulary[i]: n for i, n in doc.kept_counts.items()} == {"tide": 2, "old": 1, "pier": 1}
    assert doc.keeps("tide")
    assert not doc.keeps("up")
    assert not doc.keeps("the")


def test_tokens_of_a_span_are_those_that_stand_in_it():
    doc = document("The tide rose. The level fell.")
    assert doc.token_words(4, 13) == ["tide", "rose"]


def test_letters_that_grow_in_lower_case_keep_the_offsets():
    doc = document("İSTANBUL and the TIDE")
    assert len(doc.lowered) == len(doc.text)
    assert doc.lowered.endswith("and the tide")
    assert tokens("İSTANBUL and the TIDE")[-3:] == ["and", "the", "tide"]


# Words


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), (" \n\t", 0), ("one", 1), ("one two\nthree\u00a0four", 4), ("- one\n- two", 2), ("# One\n\n**two**", 2),
     ("one <!-- two three --> four", 2), ("[one two](https://e.example/)", 2), ("![one](i.png)", 0),
     ("---\na: b\n---\none", 1)],
)  # fmt: skip
def test_words_are_what_stands_between_white_space_in_the_reading_text(text: str, count: int):
    assert document(text).n_words == count


# Segments and sentences


def test_segments_stand_between_full_stops_exclamation_and_question_marks():
    assert segments("The tide rose! Did it? Yes... It is 3.5 m.") == [
        "The tide rose",
        "Did it",
        "Yes",
        "It is 3",
        "5 m",
    ]


def test_a_segment_of_white_space_is_empty():
    assert segments("One. . Two") == ["One", "", "Two"]


@pytest.mark.parametrize(
    ("text", "count"), [("abcdefghij.", 0), ("abcdefghijk.", 1), ("   abcdefghij   .", 0), ("a b c d e f", 1), ("", 0)]
)
def test_a_sentence_is_a_segment_of_more_than_ten_characters(text: str, count: int):
    assert len(sentences(text)) == count


def test_a_sentence_runs_over_a_soft_line_break():
    assert [" ".join(s.split()) for s in sentences("The level\nof the tide rose. It\nfell again.")] == [
        "The level of the tide rose",
        "It fell again",
    ]


def test_an_offset_belongs_to_the_segment_that_holds_it_or_the_last_before_it():
    doc = document("One is here. Two is there.")
    assert [doc.segment_at(i) for i in (0, 5, 11, 12, 13, 25)] == [0, 0, 0, 0, 1, 1]
    assert document("").segment_at(0) == -1


def test_sentences_of_a_span_are_those_that_begin_in_it():
    doc = document("The first sentence is here. The second is here. The third is here.")
    assert doc.sentences_between(0, len(doc.text)) == [0, 1, 2]
    assert doc.sentences_between(1, len(doc.text)) == [1, 2]
    assert doc.sentences_between(28, 29) == [1]
    assert doc.sentences_between(5, 5) == []


def test_words_and_tokens_of_sentences_leave_out_the_short_ones():
    doc = document("The old pier is long. No. The tide is high today.")
    assert doc.sentence_words == [5, 5]
    vocabulary = doc.tokens.vocabulary
    assert [{vocabulary[i] for i in s} for s in doc.sentence_tokens()] == [
        {"old", "pier", "long"},
        {"tide", "high", "today"},
    ]


# Structure


def test_a_section_runs_from_its_heading_to_the_next():
    doc = document("Before.\n\n# One\n\nText one.\n\n### Two\n\nText two.")
    shown = [(s.level, doc.text[slice(*s.title)].strip(), doc.text[slice(*s.body)].strip()) for s in doc.sections]
    assert shown == [(1, "One", "Text one."), (3, "Two", "Text two.")]
    assert document(PROSE).sections == []


def test_the_white_space_at_the_ends_of_a_span_is_trimmed():
    doc = document("  The tide  ")
    assert doc.trim((0, len(doc.text))) == (2, 10)
    assert doc.trim((0, 2)) in ((2, 2), (0, 0))


@pytest.mark.parametrize(
    ("text", "title"),
    [("", None), ("Text.", None), ("# One\n\n# Two", "One"), ("### Three\n\n## Two", "Two"), ("The tide\n===\n",
     "The tide"),
     ("# The *level* of\n", "The level of"), ("# One #\n", "One"), ("# \n", None), ("```\n# code\n```\n", None),
     ("<!-- # x -->", None)],
)  # fmt: skip
def test_the_first_heading_of_the_highest_level_can_be_the_title(text: str, title: str | None):
    assert Source(text).first_heading() == title


def test_what_is_shown_of_the_source_is_all_but_front_matter_and_what_is_hidden():
    doc = document("---\ntitle: x\n---\nOne <!-- two --> *three*<p hidden>four</p>.")
    assert doc.visible_source() == "One  *three*."


def test_lines_are_counted_from_one_and_over_the_front_matter():
    doc = document("---\na: b\n---\nOne\n\nTwo\r\nThree")
    text = doc.source.text
    assert [doc.source.line(text.index(w)) for w in ("---", "a", "One", "Two", "Three")] == [1, 2, 4, 6, 7]
    assert doc.source.line(len(text)) == 7


# The reading text


def test_one_kind_of_space_apostrophe_and_hyphen_in_a_text_of_the_same_length():
    fancy = "a\tb\u00a0c\u202fd\u2009e’f\u02bcg\u2010h\u2011i\u3000j"
    assert unify_characters(fancy) == "a b c d e'f'g-h-i j"
    assert unify_characters("a\tb") == "a b"
    assert len(unify_characters(fancy)) == len(fancy)


def test_half_a_surrogate_pair_is_one_replacement_character():
    assert Source("a\ud800b\udfffc").text == "a\ufffdb\ufffdc"
    assert Source("a😀b").text == "a😀b"


def test_words_of_any_script_are_counted_in_lower_case():
    assert Source("Été été 水 x2 a_b").word_counts == {"été": 2, "水": 1, "x": 1, "a": 1, "b": 1}


def test_a_match_is_found_once_and_by_position():
    doc = document(STRUCTURED)
    found = doc.find("citation")
    assert found
    assert doc.find("citation") is found
    assert found == sorted(found, key=lambda m: (m.start, m.end, m.pattern))
    for match in found:
        assert match.family == "citation"
        assert doc.pattern_id(match)
        assert doc.matched_text(match) == " ".join(doc.text[match.start : match.end].lower().split())


def test_a_pattern_matches_over_a_soft_line_break_as_over_a_space():
    """An address of the text and what stands around it do not depend on where its author broke the line."""
    flat = "As it was said according to the Harrow Institute in the town. " + PROSE
    broken = flat.replace(" ", "\n")
    for marks in ("", "*", "`x` "):
        one, other = document(marks + flat), document(marks + broken)
        for family in ("citation", "quotable", "statistic", "entity", "factual_claim", "transition"):
            assert one.find(family) == other.find(family), family


def test_a_function_marked_once_per_page_is_computed_once_for_each_document():
    calls: list[str] = []

    @once_per_page
    def count_words(doc: Document) -> int:
        calls.append(doc.text)
        return doc.n_words

    one, other = document("One."), document("The other.")
    assert [count_words(doc) for doc in (one, other, one, other)] == [1, 2, 1, 2]
    assert calls == ["One.", "The other."]
