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
from steelyard.lab.edits.controls.own_words import Duplication
from steelyard.lab.edits.phrasebook import split_words
from steelyard.lab.edits.topics import MAX_TOPICS, MIN_LETTERS, MIN_TOPICS, TooLittleText, find_keywords, find_topics
from tests.lab.edits.pages import LANGUAGES, lower, targets


def test_keywords_are_the_most_frequent_content_words_and_at_most_six():
    words = "lantern willow meadow harbour ledger gauge tide keeper quarry".split()
    for text, expected in (
        ("Lantern willow lantern meadow willow lantern.", words[:3]),
        ("meadow willow lantern willow meadow lantern", ["meadow", "willow", "lantern"]),  # ties: which comes first
        ("Lantern LANTERN lantern willow willow meadow", words[:3]),
        ("the the the sea sea sea because because lantern willow meadow", words[:3]),
        ("lan\u00adtern wil\u00adlow mea\u00addow", words[:3]),
        (" ".join(words), words[:MAX_TOPICS]),
    ):
        assert find_keywords(text, "en") == tuple(expected), text


def test_topics_begin_with_probable_nouns_and_leave_out_words_that_count_by_themselves():
    walk = "Slowly, slowly, slowly walking. The lantern was lit. A willow, and the meadow."
    stuff = "The stuff, the stuff, the stuff of the lantern. The willow. The meadow."
    softly = "Doucement, doucement, doucement. La lanterne est là. Une prairie, et le saule."
    light = (
        "Die Weide, das Licht und der Hafen. Ganz leise, leise, leise, leise und die Laterne. LICHT am Abend. Licht."
    )
    for language, text, expected in (
        ("en", walk, "lantern willow meadow slowly walking"),
        ("en", "The wooden lantern. The willow. Meadow, meadow, wooden, wooden.", "willow"),
        ("en", "Slowly slowly walking willow by the lantern", "lantern"),
        ("en", stuff, "lantern willow meadow"),
        ("fr", softly, "lanterne prairie saule"),
        ("de", light, "Licht Weide Hafen Laterne"),
        ("de", "Der WALDRAND, der WALDRAND, der Waldrand. Die Wiese, das Moor.", "WALDRAND Wiese Moor"),
    ):
        assert " ".join(find_topics(text, language)).startswith(expected), text
    assert [find_keywords(text, "en")[0] for text in (walk, stuff)] == ["slowly", "stuff"]
    assert find_keywords(light, "de")[:2] == ("leise", "Licht")


def test_an_accent_written_as_a_second_character_does_not_cut_the_word():
    text = "La préparation, la préparation, l'élève, l'élève, la généralité"
    decomposed = unicodedata.normalize("NFD", text)
    assert decomposed != text
    assert find_keywords(decomposed, "fr") == find_keywords(text, "fr") == ("préparation", "élève", "généralité")


def test_a_page_without_three_words_of_its_own_is_left_out():
    for text in ["", " \n ", "...!?", "1 2 3 2024", "the of and", "lantern willow", "😀 🎉", "\0\0"]:
        for language in LANGUAGES:
            target = Target(text, language)
            for edit in EDITS:
                if isinstance(edit, Duplication):
                    assert edit.apply(target).blocks == (text,)
                    continue
                with pytest.raises(
                    TooLittleText,
                    match=rf"the page has \d topic words? and an edit needs {MIN_TOPICS}; leave such short pages out",
                ):
                    edit.apply(target)


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
