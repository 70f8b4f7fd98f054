"""What a block holds, counted by the components themselves: the evidence of a lever, nothing for the filler."""

from __future__ import annotations

from itertools import product

import pytest

from steelyard.components.citation_f1 import CitationF1
from steelyard.components.quotable_density import QuotableDensity
from steelyard.components.statistic_density import StatisticDensity
from steelyard.lab.edits import BY_NAME, phrasebook
from steelyard.lab.edits.base import FRESH, Target
from steelyard.lab.edits.controls.fillers import NeutralFiller
from steelyard.lab.edits.phrasebook import split_words
from steelyard.lab.edits.postconditions import DATED
from steelyard.lab.edits.topics import COUNTED, find_counted
from steelyard.lab.protocol.variants import OPEN
from tests.lab.edits.pages import LANGUAGES, document, find_matches, lower, targets

each_language = pytest.mark.parametrize("language", LANGUAGES)
# Patterns that others are checked with, and trust, which is reported beside the score and never in it.
NOT_COUNTED = {"trust", "attribution", "not_definition", "not_quotation", "not_statistic"}


def blocks(edit: str, language: str) -> list[tuple[Target, str]]:
    """Twelve different blocks for each page."""
    return [
        (target, block)
        for target, seed in product(targets(language), range(2))
        for block in BY_NAME[edit].apply(target, dose=6, seed=seed, arm=FRESH).blocks
    ]


@each_language
def test_a_quotation_block_is_three_quotations_each_with_its_speaker(language: str):
    persons = phrasebook.load(language).slots.values["person"]
    for _, block in blocks("quotation", language):
        doc = document(block, language)
        assert QuotableDensity().read(doc).parts["q"] == 3
        said = doc.find("quotable" if "quotable" in doc.language.families else "quotation")
        spoken = [m for m in said if "speaker" in doc.pattern_id(m) or "inversion" in doc.pattern_id(m)]
        assert len({doc.segment_at(m.start) for m in spoken}) == 3
        assert sum(block.count(person) for person in persons) == 3


@each_language
def test_a_statistics_block_is_six_statistics_in_three_dated_sentences(language: str):
    for _, block in blocks("statistics", language):
        parts = StatisticDensity().read(document(block, language)).parts
        assert (parts["S"], parts["D"]) == (6, 3)


@each_language
def test_a_cite_sources_block_is_three_citations_of_three_kinds(language: str):
    for _, block in blocks("cite_sources", language):
        doc = document(block, language)
        kinds = {doc.pattern_id(m) for m in doc.find("citation")}
        assert kinds == {"according-to", "study-by", "parenthetical"}
        assert CitationF1().count(doc).parts["C"] >= 3


@each_language
def test_structure_is_read_as_such(language: str):
    for _, block in blocks("sub_headings", language):
        assert [heading.level for heading in document(block, language).structure.headings] == [2, 2, 2]
    for _, block in blocks("bullet_list", language):
        assert [line[:2] for line in block.split("\n")] == ["- "] * 3
    for _, block in blocks("table", language):
        lines = block.split("\n")
        assert lines.pop(1) == "|---|---|---|"
        assert {line.count("|") for line in lines} == {4}
        assert len(lines) == 4


@each_language
@pytest.mark.parametrize(("edit", "families"), DATED.items())
def test_a_dated_block_holds_its_date_and_nothing_else(language: str, edit: str, families: tuple[str, ...]):
    dates = phrasebook.load(language).slots.values["date"]
    for _, block in blocks(edit, language):
        (day,) = [day for day in dates if day in block]
        assert [f for f in COUNTED if find_matches(block, language, f)] == ["entity", *families]
        assert find_matches(block, language, "entity") == [day, day[-4:]]
        assert find_matches(block, language, "freshness_date")[0].endswith(day)


@each_language
def test_a_family_that_is_added_to_the_packs_is_watched_in_the_filler(language: str):
    assert set(document("", language).language.families) - set(COUNTED) <= NOT_COUNTED


@each_language
def test_stuffing_is_whole_words_of_the_page_in_turn(language: str):
    for target in targets(language):
        block = BY_NAME["keyword_stuffing"].apply(target).blocks[0]
        words, keywords = [word.strip(".").lower() for word in block.split()], lower(target.keywords)
        assert words == [keywords[i % len(keywords)] for i in range(len(words))]
        assert set(words) == set(keywords) <= set(split_words(target.text))
        assert block.count(".") == 3


@each_language
def test_a_block_is_written_around_the_words_of_the_page(language: str):
    for edit in ["quotation", "statistics", "cite_sources", "technical_terms", "neutral_filler", *OPEN]:
        for target, block in blocks(edit, language):
            assert set(split_words(block)) & set(lower(target.topics))


@each_language
@pytest.mark.parametrize("edit", ["quotation", "statistics", "cite_sources"])
def test_no_name_and_no_figure_stands_twice_in_a_block(language: str, edit: str):
    values = phrasebook.load(language).slots.values
    for _, block in blocks(edit, language):
        figures = [w.strip(".,)%") for w in block.split() if any(c.isdigit() for c in w)]
        assert len(set(figures)) == len(figures)
        for value in (*values["person"], *values["city"], *values["body"]):
            assert block.count(value) <= 1


def test_a_filler_is_drawn_again_where_a_word_of_the_page_makes_it_count():
    """« Le mot fait » opens a block as a subject with its verb would."""
    target = Target("Le fait est là. Le fait compte. Le salon, la musique et le monde. " * 4, "fr")
    assert "fait" in target.topics
    for name in ("neutral_filler", "filler_paragraph", "bullet_list"):
        edit = BY_NAME[name]
        blocks = [edit.apply(target, seed=seed).blocks[0] for seed in range(30)]
        assert any("fait" in block for block in blocks)
        # Eight new blocks use every sentence, so the one that such a word spoils is written around another word.
        every = edit.apply(target, dose=8, arm=FRESH).blocks
        assert len(set(every)) == 8
        assert [block for block in (*blocks, *every) if find_counted(block, "fr")] == []
    drawn_once = type("NeutralFiller", (NeutralFiller,), {"is_silent": False})()
    assert any(find_counted(drawn_once.apply(target, seed=seed).blocks[0], "fr") for seed in range(30))
