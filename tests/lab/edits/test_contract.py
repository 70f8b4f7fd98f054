"""The contract of an edit: one suite that each must pass, in every language, at every dose and in both arms."""

from __future__ import annotations

import os
from itertools import pairwise, product
from types import ModuleType
from typing import Any

import pytest

from steelyard.errors import UnknownName
from steelyard.lab import edits
from steelyard.lab.edits import EDITS, NAMES, apply_edits, levers, phrasebook
from steelyard.lab.edits.base import ARMS, REPEAT, Edit, PhrasebookEdit, Target
from steelyard.lab.edits.controls import fillers, own_words
from steelyard.lab.edits.controls.own_words import Duplication, KeywordStuffing
from steelyard.lab.protocol.variants import (
    DOSES,
    FILLER,
    FILLER_PARAGRAPH,
    INTERVENTIONS,
    LEVERS,
    OPEN,
    PAPER,
    STRUCTURE,
)
from tests.lab.edits.pages import LANGUAGES, count_more_ends, demo, document, targets

APPENDING = tuple(edit for edit in EDITS if not isinstance(edit, Duplication))
PHRASED = tuple(edit for edit in EDITS if isinstance(edit, PhrasebookEdit))
WITH_SLOTS = tuple(edit for edit in PHRASED if edit.name in LEVERS)

each_edit = pytest.mark.parametrize("edit", EDITS, ids=NAMES)
each_appending = pytest.mark.parametrize("edit", APPENDING, ids=[e.name for e in APPENDING])
each_phrased = pytest.mark.parametrize("edit", PHRASED, ids=[e.name for e in PHRASED])
each_language = pytest.mark.parametrize("language", LANGUAGES)


def every_target() -> tuple[Target, ...]:
    """Three pages of each language in both views, with --all; otherwise two of them, each in one view."""
    step = 1 if os.environ.get("STEELYARD_TEST_ALL") else 3
    return tuple(target for language in LANGUAGES for target in targets(language)[::step])


def doses(edit: Edit) -> tuple[int, ...]:
    return edit.doses if isinstance(edit, Duplication) else DOSES


@each_edit
class TestOnEveryPage:
    def test_page_dose_and_seed_decide_every_letter(self, edit: Edit):
        for target, dose, arm in product(every_target(), doses(edit), ARMS):
            again = Target(target.text, target.language)
            first = edit.apply(target, dose=dose, seed=5, arm=arm)
            assert edit.apply(target, dose=dose, seed=5, arm=arm) == first
            assert type(edit)().apply(again, dose=dose, seed=5, arm=arm) == first

    def test_the_postconditions_hold_with_any_seed(self, edit: Edit):
        for target, seed, arm in product(every_target(), range(3), ARMS):
            chosen: Any = {"dose": max(doses(edit)), "seed": seed, "arm": arm}
            assert apply_edits([edit], target, **chosen) == edit.apply(target, **chosen)


@each_appending
def test_a_block_is_whole_sentences_without_a_slot_or_a_double_space(edit: Edit):
    for target, arm in product(every_target(), ARMS):
        for block in edit.apply(target, dose=3, arm=arm).blocks:
            assert not set("{}\t") & set(block)
            assert ("\n" in block) == (edit.name in STRUCTURE and edit.name != "summary_first")
            assert "  " not in block
            assert block == block.strip()
            assert block.endswith(". |" if edit.name == "table" else ".")
            assert block[0].isupper() or block[0] in {"sub_headings": "#", "bullet_list": "-", "table": "|"}.get(
                edit.name, '"«»'
            )


@each_appending
def test_a_reader_sees_three_sentences_of_seventy_two_words_without_the_marks(edit: Edit):
    for target in every_target():
        block = edit.apply(target).blocks[0]
        doc = document(block, target.language)
        assert doc.n_words == 72
        assert len(doc.sentences) == 3 + count_more_ends(block, target.language)


@each_language
def test_the_levers_of_structure_and_freshness_hold_their_promises_on_every_demo_page(language: str):
    for lever in OPEN:
        for page, view in product(demo(language), ("flattened", "structured")):
            apply_edits([edits.BY_NAME[lever]], Target(page.view(view), language))


@each_appending
def test_a_higher_dose_goes_on_where_the_lower_one_ends(edit: Edit):
    for target, arm in product(every_target(), ARMS):
        texts = [edit.apply(target, dose=dose, arm=arm).text for dose in (0, *DOSES)]
        assert texts[0] == target.text
        for less, more in pairwise(texts):
            assert more.endswith(less) if edit.leads and arm == REPEAT else edit.leads or more.startswith(less)


@each_phrased
def test_arms_and_seeds_decide_the_blocks(edit: Edit):
    for target in every_target():
        repeated, fresh = (edit.apply(target, dose=8, arm=arm).blocks for arm in ARMS)
        assert repeated == (repeated[0],) * 8
        assert len(set(fresh)) == 8
        assert fresh[0] == repeated[0]
        drawn = {edit.apply(target, seed=seed).blocks[0] for seed in range(20)}
        # Without slots there are 27 blocks, of which twenty draws meet some twice.
        assert len(drawn) == 20 if edit in WITH_SLOTS else len(drawn) >= 8


@pytest.mark.parametrize("edit", [KeywordStuffing(), Duplication()], ids=lambda e: e.name)
def test_an_edit_without_draws_has_one_block_in_both_arms_and_under_every_seed(edit: Edit):
    for language in LANGUAGES:
        target = targets(language)[0]
        texts = {edit.apply(target, dose=max(edit.doses), seed=n, arm=arm) for n, arm in product(range(3), ARMS)}
        assert len(texts) == 1
        assert len(set(texts.pop().blocks)) == 1


@each_language
def test_two_edits_and_two_pages_draw_independently(language: str):
    """Otherwise a seed that is kind to one page would be kind to all of them."""
    a, b = targets(language)[0], targets(language)[2]
    edit = edits.BY_NAME["statistics"]
    figures = [[w for w in edit.apply(t, seed=1).blocks[0].split() if w.isdigit()] for t in (a, b)]
    assert figures[0] != figures[1]


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("one flat line of words", " "),
        ("one flat line of words\n\n", " "),
        ("\n\none flat line of words", " "),
        ("a line\nand another", "\n"),
        ("a line\r\nand another", "\n"),
        ("a paragraph\n\nand another", "\n\n"),
        ("a line\nand another\n\nand a paragraph", "\n\n"),
        ("", " "),
    ],
)
def test_the_page_itself_says_how_paragraphs_are_parted(text: str, separator: str):
    assert Target(text).separator == separator


@pytest.mark.parametrize("module", [levers, fillers, own_words])
def test_no_edit_is_forgotten(module: ModuleType):
    written = [kind for kind in vars(module).values() if isinstance(kind, type) and kind.__module__ == module.__name__]
    assert written
    assert set(written) <= {type(edit) for edit in (*edits.EDITS, *edits.CONTROLS)}


def test_the_protocol_and_the_edits_know_the_same_names():
    assert {*INTERVENTIONS, FILLER, FILLER_PARAGRAPH, "duplication", *OPEN} == set(NAMES)
    assert len(PAPER) == 21
    for lever in (*LEVERS, FILLER):
        assert edits.BY_NAME[lever].doses == DOSES


def test_edits_together_are_the_blocks_of_each_fitted_to_the_untouched_page():
    for target, arm in product(every_target(), ARMS):
        chosen = [edits.BY_NAME[name] for name in LEVERS]
        together = apply_edits(chosen, target, dose=2, seed=1, arm=arm)
        alone = [edit.apply(target, dose=2, seed=1, arm=arm).blocks for edit in chosen]
        assert together.blocks == sum(alone, ())
        assert together.text == target.separator.join((target.text, *together.blocks))


def test_a_summary_stands_before_the_page_and_other_blocks_after_it():
    for target in every_target():
        together = apply_edits([edits.BY_NAME[name] for name in ("table", "summary_first", "statistics")], target)
        table, summary, statistics = together.blocks
        assert together.text == f"{summary}\n\n{target.text}\n\n{table}{target.separator}{statistics}"


@each_language
def test_a_bullet_list_says_what_the_filler_says(language: str):
    lists = phrasebook.load(language).sentences
    assert lists["bullet_list"] == lists[FILLER]


def test_a_language_without_a_phrase_book_is_refused_by_name():
    for edit in APPENDING:
        with pytest.raises(UnknownName, match="'nl'"):
            edit.apply(Target("Het peil in de haven en het register van de getijden.", "nl"))
