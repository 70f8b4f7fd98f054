"""The contract of an edit: one suite that each must pass, in every language, at every dose and in both arms."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest

from steelyard.errors import UnknownName
from steelyard.lab import edits
from steelyard.lab.edits import EDITS, NAMES, apply_edits, phrasebook
from steelyard.lab.edits.base import ARMS, FRESH, REPEAT, Edit, PhrasebookEdit, Target
from steelyard.lab.edits.controls.duplication import Duplication
from steelyard.lab.edits.controls.keyword_stuffing import KeywordStuffing
from steelyard.lab.edits.phrasebook import count_words
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

ROOT = Path(__file__).resolve().parents[3]
BLOCK = 72
APPENDING = tuple(edit for edit in EDITS if not isinstance(edit, Duplication))
PHRASED = tuple(edit for edit in EDITS if isinstance(edit, PhrasebookEdit))
WITH_SLOTS = tuple(edit for edit in PHRASED if edit.name in LEVERS)

each_edit = pytest.mark.parametrize("edit", EDITS, ids=NAMES)
each_appending = pytest.mark.parametrize("edit", APPENDING, ids=[e.name for e in APPENDING])
each_phrased = pytest.mark.parametrize("edit", PHRASED, ids=[e.name for e in PHRASED])
each_language = pytest.mark.parametrize("language", LANGUAGES)


def every_target() -> tuple[Target, ...]:
    return tuple(target for language in LANGUAGES for target in targets(language))


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

    def test_the_page_stands_whole_with_the_blocks_after_it_or_before_it(self, edit: Edit):
        for target, dose, arm in product(every_target(), doses(edit), ARMS):
            edited = edit.apply(target, dose=dose, arm=arm)
            separator = "\n\n" if edit.name in (FILLER_PARAGRAPH, *STRUCTURE) else target.separator
            if edit.name == "summary_first":
                assert edited.text == "".join(block + separator for block in edited.blocks) + target.text
            else:
                assert edited.text == target.text + "".join(separator + block for block in edited.blocks)
            assert len(edited.blocks) == dose

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
def test_every_dose_of_every_edit_adds_exactly_seventy_two_words(edit: Edit):
    for target, dose, arm in product(every_target(), DOSES, ARMS):
        edited = edit.apply(target, dose=dose, arm=arm)
        assert count_words(edited.text) - count_words(target.text) == BLOCK * dose
        assert {count_words(block) for block in edited.blocks} == {BLOCK}


@each_appending
def test_a_reader_sees_three_sentences_of_seventy_two_words_without_the_marks(edit: Edit):
    for target in every_target():
        block = edit.apply(target).blocks[0]
        doc = document(block, target.language)
        assert doc.n_words == BLOCK
        assert len(doc.sentences) == 3 + count_more_ends(block, target.language)


@each_language
def test_the_levers_of_structure_and_freshness_hold_their_promises_on_every_demo_page(language: str):
    for lever in OPEN:
        for page, view in product(demo(language), ("flattened", "structured")):
            apply_edits([edits.BY_NAME[lever]], Target(page.view(view), language))


@each_appending
def test_the_repeat_arm_says_one_block_again_and_again(edit: Edit):
    for target in every_target():
        blocks = edit.apply(target, dose=8).blocks
        assert blocks == (blocks[0],) * 8


@each_phrased
def test_the_fresh_arm_never_says_a_block_twice(edit: Edit):
    for target, seed in product(every_target(), range(5)):
        blocks = edit.apply(target, dose=8, seed=seed, arm=FRESH).blocks
        assert len(set(blocks)) == 8


@each_language
def test_stuffing_has_one_block_and_the_fresh_arm_still_ends(language: str):
    target = targets(language)[0]
    assert len(set(KeywordStuffing().apply(target, dose=8, arm=FRESH).blocks)) == 1


@each_appending
def test_a_higher_dose_goes_on_where_the_lower_one_ends(edit: Edit):
    for target, arm in product(every_target(), ARMS):
        texts = [edit.apply(target, dose=dose, arm=arm).text for dose in (0, *DOSES)]
        assert texts[0] == target.text
        for less, more in pairwise(texts):
            assert more.endswith(less) if edit.leads and arm == REPEAT else edit.leads or more.startswith(less)


@each_phrased
def test_both_arms_begin_with_the_same_block(edit: Edit):
    for target in every_target():
        assert edit.apply(target, arm=FRESH) == edit.apply(target, arm=REPEAT)


@each_phrased
def test_another_seed_is_another_block(edit: Edit):
    for target in every_target():
        blocks = {edit.apply(target, seed=seed).blocks[0] for seed in range(20)}
        # Without slots there are 27 blocks, of which twenty draws meet some twice.
        assert len(blocks) == 20 if edit in WITH_SLOTS else len(blocks) >= 8


@pytest.mark.parametrize("edit", [KeywordStuffing(), Duplication()], ids=lambda e: e.name)
def test_what_the_page_alone_decides_is_the_same_under_every_seed(edit: Edit):
    assert len({edit.apply(target, seed=seed).text for seed in range(5) for target in targets("en")[:1]}) == 1


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


@each_language
def test_both_views_of_the_demo_pages_are_parted_their_own_way(language: str):
    flattened, structured = targets(language)[::2], targets(language)[1::2]
    assert {t.separator for t in flattened} == {" "}
    assert "\n\n" in {t.separator for t in structured}


def _digest() -> str:
    total = hashlib.sha256()
    for language, arm in product(LANGUAGES, ARMS):
        for target, edit in product(targets(language, 2), EDITS):
            total.update(edit.apply(target, dose=max(edit.doses), seed=3, arm=arm).text.encode() + b"\0")
    return total.hexdigest()


def test_another_process_with_another_hash_seed_writes_the_same_letters():
    code = "from tests.lab.edits.test_contract import _digest; print(_digest())"
    environment = {**os.environ, "PYTHONHASHSEED": "4242", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == _digest()


@each_edit
def test_class_file_and_name_are_one(edit: Edit):
    assert type(edit).__module__.rsplit(".", 1)[1] == edit.name


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


def test_no_edit_at_all_is_the_page():
    target = targets("en")[0]
    assert apply_edits([], target).text == target.text


def test_a_language_without_a_phrase_book_is_refused_by_name():
    for edit in APPENDING:
        with pytest.raises(UnknownName, match="'nl'"):
            edit.apply(Target("Het peil in de haven en het register van de getijden.", "nl"))
