"""The words a page is about: which, in which order, and when there are too few."""

from __future__ import annotations

import unicodedata
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.lab.edits import EDITS
from steelyard.lab.edits.base import Target
from steelyard.lab.edits.controls.duplication import Duplication
from steelyard.lab.edits.phrasebook import split_words
from steelyard.lab.edits.topics import MAX_TOPICS, MIN_LETTERS, MIN_TOPICS, TooLittleText, find_keywords, find_topics
from tests.lab.edits.pages import LANGUAGES, lower, targets

LAKE = "Lantern willow lantern meadow willow lantern."


def test_the_most_frequent_words_come_first():
    assert find_keywords(LAKE, "en") == ("lantern", "willow", "meadow")


def test_of_equally_frequent_words_the_one_that_is_met_first():
    assert find_keywords("meadow willow lantern willow meadow lantern", "en") == ("meadow", "willow", "lantern")
    assert find_keywords("lantern meadow willow", "en") == ("lantern", "meadow", "willow")


def test_case_does_not_part_a_word_from_itself():
    assert find_keywords("Lantern LANTERN lantern willow meadow", "en")[0] == "lantern"


def test_short_words_and_function_words_are_no_keywords():
    assert find_keywords("the the the sea sea sea because because lantern willow meadow", "en") == (
        "lantern",
        "willow",
        "meadow",
    )


def test_at_most_six_are_kept():
    words = "lantern willow meadow harbour ledger gauge tide keeper quarry".split()
    assert find_keywords(" ".join(words), "en") == tuple(words[:MAX_TOPICS])


def test_probable_nouns_come_before_more_frequent_words():
    text = "Slowly, slowly, slowly walking. The lantern was lit. A willow, and the meadow."
    assert find_topics(text, "en") == ("lantern", "willow", "meadow", "slowly", "walking")
    assert find_keywords(text, "en")[0] == "slowly"


def test_a_word_between_an_article_and_a_word_of_content_is_no_noun():
    assert find_topics("The wooden lantern. The willow. Meadow, meadow, wooden, wooden.", "en")[0] == "willow"


def test_german_nouns_keep_their_capital_and_other_words_are_no_nouns():
    text = "Die Weide, das Licht und der Hafen. Ganz leise, leise, leise, leise und die Laterne. LICHT am Abend. Licht."
    assert find_topics(text, "de")[:4] == ("Licht", "Weide", "Hafen", "Laterne")
    assert find_keywords(text, "de")[:2] == ("leise", "Licht")


def test_of_two_written_forms_the_page_s_more_frequent_one_is_kept():
    text = "Der WALDRAND, der WALDRAND, der Waldrand. Die Wiese, das Moor."
    assert find_topics(text, "de") == ("WALDRAND", "Wiese", "Moor")


def test_french_articles_find_french_nouns():
    text = "Doucement, doucement, doucement. La lanterne est là. Une prairie, et le saule."
    assert find_topics(text, "fr")[:3] == ("lanterne", "prairie", "saule")


def test_the_last_word_of_a_page_may_be_a_noun():
    assert find_topics("Slowly slowly walking willow by the lantern", "en")[0] == "lantern"


def test_a_word_the_score_counts_by_itself_is_a_keyword_but_no_topic():
    text = "The stuff, the stuff, the stuff of the lantern. The willow. The meadow."
    assert find_keywords(text, "en")[0] == "stuff"
    assert find_topics(text, "en") == ("lantern", "willow", "meadow")


def test_an_accent_written_as_a_second_character_does_not_cut_the_word():
    text = "La préparation, la préparation, l'élève, l'élève, la généralité"
    decomposed = unicodedata.normalize("NFD", text)
    assert decomposed != text
    assert find_keywords(decomposed, "fr") == find_keywords(text, "fr") == ("préparation", "élève", "généralité")


def test_a_soft_hyphen_does_not_cut_the_word():
    assert find_keywords("lan\u00adtern wil\u00adlow mea\u00addow", "en") == ("lantern", "willow", "meadow")


def test_a_page_without_three_words_of_its_own_is_left_out():
    for text in ["", " \n ", "...!?", "1 2 3 2024", "the of and", "lantern willow", "😀 🎉", "\0\0"]:
        for language in LANGUAGES:
            target = Target(text, language)
            for edit in EDITS:
                if isinstance(edit, Duplication):
                    assert edit.apply(target).blocks == (text,)
                    continue
                with pytest.raises(TooLittleText, match=f"an edit needs {MIN_TOPICS}; leave such short pages out"):
                    edit.apply(target)


def test_the_message_says_how_many_words_were_found():
    with pytest.raises(TooLittleText, match="the page has 2 topic words"):
        find_keywords("lantern willow", "en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_demo_pages_have_all_six_of_both(language: str):
    for target in targets(language):
        assert len(target.topics) == len(target.keywords) == MAX_TOPICS
        assert set(lower(target.topics)) | set(lower(target.keywords)) <= set(split_words(target.text))


words = st.lists(st.sampled_from("lantern willow meadow harbour ledger gauge tide keeper the sea of".split()))


@settings(max_examples=60, deadline=None)
@given(words, st.sampled_from(LANGUAGES))
def test_keywords_are_the_pages_own_in_falling_frequency(drawn: list[str], language: str):
    text = " ".join(drawn)
    counts = Counter(drawn)
    try:
        found = find_keywords(text, language)
    except TooLittleText:
        assert len({w for w in drawn if len(w) >= MIN_LETTERS and w != "the"}) < MIN_TOPICS
        return
    assert len(set(found)) == len(found) <= MAX_TOPICS
    assert set(found) <= set(drawn)
    frequencies = [counts[w] for w in found]
    assert frequencies == sorted(frequencies, reverse=True)
    for earlier, later in pairwise(found):
        assert counts[earlier] > counts[later] or drawn.index(earlier) < drawn.index(later)
