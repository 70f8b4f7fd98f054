"""A Document: words, segments, tokens, sections and matches over one reading text."""

from __future__ import annotations

from steelyard.text.document import Document, once_per_page, unify_characters
from steelyard.text.source import Source
from tests.contract.shared import PROSE, STRUCTURED, document


def segments(text: str) -> list[str]:
    doc = document(text)
    return [doc.text[a:b] for a, b in doc.segments]


# Words and tokens


def test_tokens_are_runs_of_ascii_letters_between_ascii_boundaries() -> None:
    for text, expected in {
        "": "", "The Tide": "the tide", "caféine": "caf ine", "naïve": "na ve", "abc123": "", "123abc": "", "a_b": "",
        "snake_case tide": "tide", "don't": "don t", "don’t": "don t", "well-known": "well known",
        "tide.level": "tide level", "U.S.": "u s", "水 Ωμέγα שלום": "", "14%": "", "the 水tide": "the tide",
    }.items():  # fmt: skip
        tokens = document(text).tokens
        assert [tokens.vocabulary[i] for i in tokens.ids] == expected.split(), text


def test_tokens_get_integers_in_the_order_of_their_first_appearance() -> None:
    tokens = document("The tide and the level. The tide!").tokens
    assert tokens.ids == [0, 1, 2, 0, 3, 0, 1]
    assert tokens.vocabulary == ["the", "tide", "and", "level"]
    assert tokens.bounds == [0, 5, 7]
    assert document("The tide rose. The level fell.").token_words(4, 13) == ["tide", "rose"]


def test_short_and_stop_words_are_not_kept() -> None:
    doc = document("The tide is up at an old pier, and the tide is in it.")
    vocabulary = doc.tokens.vocabulary
    assert [vocabulary[i] for i in doc.kept_ids] == ["tide", "old", "pier", "tide"]
    assert {vocabulary[i]: n for i, n in doc.kept_counts.items()} == {"tide": 2, "old": 1, "pier": 1}


def test_letters_that_grow_in_lower_case_keep_the_offsets() -> None:
    doc = document("İSTANBUL and the TIDE")
    assert len(doc.lowered) == len(doc.text)
    assert doc.lowered.endswith("and the tide")


def test_words_are_what_is_between_white_space_in_the_reading_text() -> None:
    for text, count in {
        "": 0, " \n\t": 0, "one": 1, "one two\nthree\u00a0four": 4, "- one\n- two": 2, "# One\n\n**two**": 2,
        "one <!-- two three --> four": 2, "[one two](https://e.example/)": 2, "![one](i.png)": 0,
        "---\na: b\n---\none": 1,
    }.items():  # fmt: skip
        assert document(text).n_words == count, text
    assert Source("Été été 水 x2 a_b").word_counts == {"été": 2, "水": 1, "x": 1, "a": 1, "b": 1}


# Segments and sentences


def test_segments_are_between_full_stops_exclamation_and_question_marks() -> None:
    expected = ["The tide rose", "Did it", "Yes", "It is 3", "5 m"]
    assert segments("The tide rose! Did it? Yes... It is 3.5 m.") == expected
    assert segments("One. . Two") == ["One", "", "Two"]
    doc = document("One is here. Two is there.")
    assert [doc.segment_at(i) for i in (0, 5, 11, 12, 13, 25)] == [0, 0, 0, 0, 1, 1]
    assert document("").segment_at(0) == -1


def test_a_sentence_is_a_segment_of_more_than_ten_characters() -> None:
    for text, count in {"abcdefghij.": 0, "abcdefghijk.": 1, "   abcdefghij   .": 0, "a b c d e f": 1, "": 0}.items():
        assert len(document(text).sentences) == count, text
    broken = segments("The level\nof the tide rose. It\nfell again.")
    assert [" ".join(s.split()) for s in broken] == ["The level of the tide rose", "It fell again"]


def test_sentences_of_a_span_are_those_that_begin_in_it() -> None:
    doc = document("The first sentence is here. The second is here. The third is here.")
    for span, numbers in {(0, len(doc.text)): [0, 1, 2], (1, len(doc.text)): [1, 2], (28, 29): [1], (5, 5): []}.items():
        assert doc.sentences_between(*span) == numbers, span


def test_words_and_tokens_of_sentences_leave_out_the_short_ones() -> None:
    doc = document("The old pier is long. No. The tide is high today.")
    assert doc.sentence_words == [5, 5]
    tokens = [{doc.tokens.vocabulary[i] for i in ids} for ids in doc.sentence_tokens()]
    assert tokens == [{"old", "pier", "long"}, {"tide", "high", "today"}]


# Structure


def test_a_section_runs_from_its_heading_to_the_next() -> None:
    doc = document("Before.\n\n# One\n\nText one.\n\n### Two\n\nText two.")
    shown = [(s.level, doc.text[slice(*s.title)].strip(), doc.text[slice(*s.body)].strip()) for s in doc.sections]
    assert shown == [(1, "One", "Text one."), (3, "Two", "Text two.")]
    assert document(PROSE).sections == []


def test_the_first_heading_of_the_highest_level_can_be_the_title() -> None:
    for text, title in {
        "": None, "Text.": None, "# One\n\n# Two": "One", "### Three\n\n## Two": "Two", "The tide\n===\n": "The tide",
        "# The *level* of\n": "The level of", "# One #\n": "One", "# \n": None, "```\n# code\n```\n": None,
        "<!-- # x -->": None,
    }.items():  # fmt: skip
        assert Source(text).first_heading() == title, text


def test_what_is_shown_of_the_source_is_all_but_front_matter_and_what_is_hidden() -> None:
    doc = document("---\ntitle: x\n---\nOne <!-- two --> *three*<p hidden>four</p>.")
    assert doc.visible_source() == "One  *three*."


# The reading text


def test_one_kind_of_space_apostrophe_and_hyphen_in_a_text_of_the_same_length() -> None:
    assert unify_characters("a\tb\u00a0c\u202fd\u2009e’f\u02bcg\u2010h\u2011i\u3000j") == "a b c d e'f'g-h-i j"
    assert unify_characters("a\tb") == "a b"


def test_half_a_surrogate_pair_is_one_replacement_character() -> None:
    assert Source("a\ud800b\udfffc").text == "a\ufffdb\ufffdc"
    assert Source("a😀b").text == "a😀b"


def test_a_match_is_found_once_and_by_position() -> None:
    doc = document(STRUCTURED)
    matches = doc.find("citation")
    assert matches
    assert doc.find("citation") is matches
    assert matches == sorted(matches, key=lambda m: (m.start, m.end, m.pattern))
    for match in matches:
        assert match.family == "citation"
        assert doc.pattern_id(match)
        assert doc.matched_text(match) == " ".join(doc.text[match.start : match.end].lower().split())


def test_a_pattern_matches_over_a_soft_line_break_as_over_a_space() -> None:
    """An address of the text and what is around it do not depend on where its author broke the line."""
    flat = "As it was said according to the Harrow Institute in the town. " + PROSE
    for marks in ("", "*", "`x` "):
        on_one_line, broken = document(marks + flat), document(marks + flat.replace(" ", "\n"))
        for family in ("citation", "quotable", "statistic", "entity", "factual_claim", "transition"):
            assert on_one_line.find(family) == broken.find(family), family


def test_a_function_marked_once_per_page_is_computed_once_for_each_document() -> None:
    calls: list[str] = []

    @once_per_page
    def count_words(doc: Document) -> int:
        calls.append(doc.text)
        return doc.n_words

    short, long = document("One."), document("The other.")
    assert [count_words(doc) for doc in (short, long, short, long)] == [1, 2, 1, 2]
    assert calls == ["One.", "The other."]
