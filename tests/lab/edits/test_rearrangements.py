"""Rearrangements keep every word, blocks of a third stay below it, and stuffing has templates: on all pages."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import pytest

from steelyard.lab import edits
from steelyard.lab.corpus import cut
from steelyard.lab.edits import BY_NAME, FOR_ENGINES, apply_edits
from steelyard.lab.edits.base import EditedPage, NothingToChange, Target
from steelyard.lab.edits.controls import book
from steelyard.lab.edits.controls.short_block import LONGEST, PART, ShortBlock
from steelyard.lab.edits.controls.stuffed import STUFFED
from steelyard.lab.edits.phrasebook import LANGUAGES, count_words, split_words
from steelyard.lab.edits.postconditions import EditBroken, check_edit, check_rearrangement
from steelyard.lab.edits.rearrangements import (
    FORM,
    KINDS,
    REARRANGEMENTS,
    BestSentenceFirst,
    OwnDateFirst,
    OwnHeadings,
    OwnList,
    Rearrangement,
    split_sentences,
)
from steelyard.lab.edits.topics import TooLittleText
from tests.conftest import SHARED_DATA
from tests.lab.edits.pages import targets

FIVE = Target(
    "The harbour trades salt in spring. Updated 12 March 2026, the ledger lists every cargo of salt. A crane lifts "
    "the salt onto the quay, where the merchant of the harbour weighs the cargo of salt. Mr. Ode left at 3.5 knots. "
    "Nothing else was seen."
)


def apply(edit: Rearrangement, target: Target = FIVE) -> str:
    return check_rearrangement(edit, target, edit.apply(target))


def check_all(pages: Iterable[Target]) -> Counter[str]:
    """Apply everything that engines alone are asked about; count what could be applied, and why the rest could not."""
    seen = Counter[str]()
    for target in pages:
        for edit in FOR_ENGINES:
            try:
                apply_edits([edit], target)  # checks the postconditions
                seen[edit.name] += 1
            except (TooLittleText, NothingToChange) as error:
                seen[type(error).__name__] += 1
        for form in REARRANGEMENTS:
            try:
                apply(form, target)
                seen[form.name] += 1
            except (TooLittleText, NothingToChange) as error:
                seen[type(error).__name__] += 1
    return seen


def test_everything_keeps_its_promises_on_the_demo_in_every_language() -> None:
    for language in LANGUAGES:
        seen = check_all(targets(language))
        assert all(seen[form.name] for form in REARRANGEMENTS if not isinstance(form, OwnDateFirst)), language
        wanted = FOR_ENGINES if language in book.list_languages() else STUFFED
        assert all(seen[edit.name] == len(targets(language)) for edit in wanted), language


@pytest.mark.full
def test_everything_keeps_its_promises_on_all_sets_of_the_measuring_data() -> None:
    for name, key, language in (
        ("web_en.jsonl", "text", "en"),
        ("web_fr.jsonl", "text", "fr"),
        ("web_de.jsonl", "text", "de"),
        ("web_es.jsonl", "text", "es"),
        ("candidates_msmarco.jsonl", "passages", "en"),
        ("outcomes/scholarqa_gpt4o.jsonl", "sources", "en"),
    ):
        path = SHARED_DATA / name
        if not path.is_file():
            pytest.skip(f"no {path.name} here; STEELYARD_DATA names the folder")
        pages = []
        for line in path.read_text("utf-8").splitlines():
            found = json.loads(line)[key]
            texts = [found] if isinstance(found, str) else [t if isinstance(t, str) else t["text"] for t in found]
            pages += [Target(cut(text, 260).strip(), language) for text in texts]
            pages += [Target(" ".join(text.split()[:260]), language) for text in texts]
        assert check_all(pages)["own_list_lever_1"] > len(pages) / 4, name


def test_the_sentences_of_a_page_are_found_whole() -> None:
    assert split_sentences(FIVE) == [
        "The harbour trades salt in spring.",
        "Updated 12 March 2026, the ledger lists every cargo of salt.",
        "A crane lifts the salt onto the quay, where the merchant of the harbour weighs the cargo of salt.",
        "Mr. Ode left at 3.5 knots.",
        "Nothing else was seen.",
    ]


def test_a_list_and_headings_are_the_pages_own() -> None:
    assert apply(OwnList(2, inert=False)).splitlines()[1] == "2. " + split_sentences(FIVE)[1]
    assert apply(OwnList(0, inert=True)) == "\n".join(split_sentences(FIVE))
    shown = apply(OwnHeadings(0, inert=False)).splitlines()
    assert [line for line in shown if line.startswith("## ")] == [f"## {t.capitalize()}" for t in FIVE.topics[:3]]
    assert apply(OwnHeadings(0, inert=True)).splitlines() == [line.removeprefix("## ") for line in shown]


def test_the_best_and_the_dated_sentence_move_to_the_top_and_another_in_the_control() -> None:
    parts = split_sentences(FIVE)
    assert apply(BestSentenceFirst(0, inert=False)) == f"{parts[2]}\n\n{parts[0]} {parts[1]} {parts[3]} {parts[4]}"
    assert apply(OwnDateFirst(1, inert=False)) == f"**{parts[1]}**\n\n{parts[0]} {' '.join(parts[2:])}"
    for kind, moved in ((BestSentenceFirst, parts[2]), (OwnDateFirst, parts[1])):
        first = {apply(kind(template, inert=True)).split("\n")[0].strip("*> ") for template in range(4)}
        assert len(first) == 1  # all templates of a control move the same sentence
        assert not first & {moved, parts[0]}


def test_every_lever_has_four_templates_that_differ_in_marks_alone() -> None:
    for kind in KINDS:
        levers = [edit for edit in REARRANGEMENTS if isinstance(edit, kind) and not edit.inert]
        texts = [apply(edit) for edit in levers]
        assert len(set(texts)) == len(texts) == 4
        assert len({tuple(w for w in split_words(text)) for text in texts}) == 1
    assert len({edit.name for edit in REARRANGEMENTS}) == len(REARRANGEMENTS)


def test_a_page_with_a_form_of_its_own_and_one_without_sentences_are_left_out() -> None:
    for text in (
        "# Salt\n" + FIVE.text, "- Salt.\n- More salt.\n" + FIVE.text, FIVE.text + " It was *very* salty.",
        "1. Salt.\n2. Ice.\n" + FIVE.text, "> Salt.\n" + FIVE.text, "Salt. Ice. Timber.",
    ):  # fmt: skip
        for edit in REARRANGEMENTS:
            with pytest.raises(NothingToChange):
                edit.apply(Target(text))
    undated = Target(FIVE.text.replace("Updated 12 March 2026, the", "The"))
    with pytest.raises(NothingToChange, match="no date"):
        OwnDateFirst(0, inert=False).apply(undated)


@dataclass(frozen=True)
class Spoilt:
    """A planted bug: how a right text becomes a wrong one, and what is said of it."""

    edit: Rearrangement
    old: str
    new: str
    said: str


WORDS = "its words are not those of the page"
SPOILT = (
    Spoilt(OwnList(0, inert=False), "salt", "sugar", WORDS),
    Spoilt(OwnList(0, inert=False), "- ", "", "0 lines have a mark"),
    Spoilt(OwnList(0, inert=True), "Nothing", "- Nothing", "1 lines have a mark"),
    Spoilt(OwnHeadings(0, inert=False), "## Salt", "## Sugar", WORDS),
    Spoilt(OwnHeadings(0, inert=False), "## ", "", "0 lines have a mark"),
    Spoilt(OwnHeadings(0, inert=True), "Salt\n\n", "", "1 headings are terms of the page"),
    Spoilt(BestSentenceFirst(0, inert=False), " Nothing else was seen.", "", WORDS),
    Spoilt(BestSentenceFirst(0, inert=False), "A crane", "> A crane", "1 lines have a mark"),
    Spoilt(BestSentenceFirst(2, inert=True), "> ", "", "0 lines have a mark"),
    Spoilt(OwnDateFirst(0, inert=False), "2026", "2026 again", WORDS),
)


def test_a_planted_bug_is_stopped_with_the_words_that_say_why() -> None:
    for bug in SPOILT:
        text = apply(bug.edit)
        assert bug.old in text, bug
        spoilt = text.replace(bug.old, bug.new)
        if bug.said.startswith("1 headings"):
            spoilt = text.replace(bug.old, bug.new).replace(text.split("\n\n")[2] + "\n\n", "")
        with pytest.raises(EditBroken, match=f"the edit {bug.edit.name} is broken: {bug.said}"):
            check_rearrangement(bug.edit, FIVE, spoilt)


def test_a_short_block_is_the_beginning_of_the_whole_one_and_a_third_at_most() -> None:
    page = targets("en")[0].text.replace("\n", " ").split()
    for words in (PART * LONGEST - 1, PART * LONGEST, 2 * PART * LONGEST, 3 * PART * LONGEST, 300):
        target = Target(" ".join((page * 4)[:words]))
        for edit in (e for e in edits.SHORT if isinstance(e, ShortBlock)):
            if words < PART * LONGEST:
                with pytest.raises(NothingToChange, match="a block of a third needs"):
                    edit.apply(target)
                continue
            (block,) = apply_edits([edit], target).blocks
            assert edit.whole.apply(target).blocks[0].startswith(block)
            assert PART * count_words(block) <= words
            assert block == edit.whole.apply(target).blocks[0] or words < 3 * PART * LONGEST


def test_a_short_block_that_is_too_long_or_not_the_beginning_is_refused() -> None:
    target = Target(" ".join(targets("en")[0].text.split()[:100]))
    for name in ("quotation_short_lever_1", "neutral_filler_short"):
        edit = BY_NAME[name]
        assert isinstance(edit, ShortBlock)
        (whole,) = edit.whole.apply(target).blocks
        for block, said in ((whole, "more than a third"), ("Salt is traded.", "neither a word|not the beginning")):
            text = edit.join(target.text, [block], target.separator)
            with pytest.raises(EditBroken, match=said):
                check_edit(edit, target, EditedPage(text, (block,)), dose=1)


def test_stuffing_has_four_templates_of_the_same_words_each_beside_own_words() -> None:
    for target, number in product(targets("en"), range(4)):
        lever, control = (BY_NAME[f"keyword_stuffing_{kind}_{number + 1}"] for kind in ("lever", "control"))
        blocks = [apply_edits([edit], target).blocks[0] for edit in (lever, control)]
        assert [count_words(block) for block in blocks] == [72, 72]
        assert set(split_words(blocks[0])) == set(target.keywords)
    blocks = [apply_edits([edit], targets("en")[0]).blocks[0] for edit in STUFFED]
    assert len(set(blocks[::2])) == 4
    assert len(set(blocks[1::2])) > 1
    assert not any(FORM.match(block) for block in blocks)
