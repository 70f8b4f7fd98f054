"""Every condition on an edited page, and a planted bug for each that it stops with the words that say why."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from itertools import product

import pytest

from steelyard.errors import SteelyardError
from steelyard.lab import edits
from steelyard.lab.edits import EDITS, NAMES, apply_edits
from steelyard.lab.edits.base import Edit, EditedPage, Target
from steelyard.lab.edits.levers import TechnicalTerms
from steelyard.lab.edits.postconditions import EVIDENCE, SILENT, EditBroken, check_edit
from steelyard.lab.protocol.capture import build_header, capture
from steelyard.lab.protocol.variants import OPEN, STRUCTURE
from tests.lab.edits.pages import LANGUAGES, demo, document, targets
from tools.planted_bugs import PLAN, SCORER, caught
from tools.planted_edits import BUGS, Bug, LetterNoise, Planted

each_bug = pytest.mark.parametrize("bug", BUGS, ids=[bug.name for bug in BUGS])
each_language = pytest.mark.parametrize("language", LANGUAGES)

# Every way in which check() can refuse the paper's edits, by the words it does so with.
CONDITIONS = (
    "the original is not kept as it was, followed by the blocks and nothing else",
    "what was added is not the page itself",
    "words at dose",
    "is neither a word of the page nor of the phrase book",
    "different matches of",
    "holds a match of",
)


@each_bug
@each_language
def test_a_planted_bug_is_stopped_on_every_page_with_the_reason(bug: Bug, language: str):
    for target in targets(language, 5):
        message = caught(bug, target)
        assert bug.condition in message
        assert message.startswith(f"the edit {bug.edits[0].name} is broken: ")
        assert message.endswith("; this is a bug of the edit, not of the page")


def test_every_condition_stops_some_bug_and_several_edits_do_not_hide_it():
    target = targets("en")[0]
    reasons = [caught(bug, target) for bug in BUGS]
    assert [c for c in CONDITIONS if not any(c in reason for reason in reasons)] == []
    for edit in (edit for bug in BUGS for edit in bug.edits):
        if edit.name in ("duplication", "neutral_filler", "keyword_stuffing"):
            with pytest.raises(EditBroken):
                apply_edits([edits.BY_NAME["quotation"], edit], target, dose=max(edit.doses))


@each_language
def test_no_right_edit_is_refused(language: str):
    for edit in EDITS:
        for target, dose in product(targets(language), edit.doses):
            edited = edit.apply(target, dose=dose)
            assert check_edit(edit, target, edited, dose=dose) is edited


class QuotingJargon(Planted, TechnicalTerms):
    """Jargon with a quotation in it."""

    def write_block(self, target: Target, rng: random.Random) -> str:
        return edits.BY_NAME["quotation"].write_block(target, rng)


def test_jargon_that_brings_evidence_is_refused():
    for target in targets("en"):
        with pytest.raises(EditBroken, match="technical_terms is broken: a block holds a match of quotable"):
            apply_edits([QuotingJargon()], target)


TWO_WORDS = re.compile(r"(?<!\S)[^\W\d_]+ [^\W\d_]+(?!\S)")


def refuse(edit: Edit, target: Target, text: str, blocks: Sequence[str], condition: str, *, dose: int = 1) -> None:
    with pytest.raises(EditBroken, match=f"the edit {edit.name} is broken: {condition}"):
        check_edit(edit, target, EditedPage(text, tuple(blocks)), dose=dose)


@each_language
@pytest.mark.parametrize("name", STRUCTURE)
def test_a_spoilt_block_of_structure_is_stopped_with_the_words_that_say_why(name: str, language: str):
    edit = edits.BY_NAME[name]
    for written, condition in (
        (targets(language)[0].topics[0], "it added 71 words at dose 1, not 1 x 72"),
        ("- |", "it added 70 words at dose 1, not 1 x 72"),
        ("zzyzx zzyzx", "'zzyzx' is neither a word of the page nor of the phrase book"),
    ):
        for target in targets(language):
            block = TWO_WORDS.sub(written, edit.apply(target).blocks[0], count=1)
            refuse(edit, target, edit.join(target.text, [block], target.separator), [block], condition)
    for target in targets(language):
        block = edit.apply(target).blocks[0]
        if name == "table" and document(block, language).language.evidence == "prose":
            continue  # no evidence counts in a table
        *_, last = TWO_WORDS.finditer(block)  # in a sentence, where every edition counts it
        block = block[: last.start()] + "63 %" + block[last.end() :]
        condition = "a block holds a match of statistic: '63 %'"
        refuse(edit, target, edit.join(target.text, [block], target.separator), [block], condition)
    for target in targets(language) if name != "summary_first" else ():
        flat = " ".join(edit.apply(target).blocks[0].split())
        shape = "a block holds [01] lines of its shape"
        refuse(edit, target, edit.join(target.text, [flat], target.separator), [flat], shape)


@pytest.mark.parametrize("name", [*OPEN, "statistics"])
def test_a_page_that_is_not_kept_where_it_belongs_is_noticed(name: str):
    edit = edits.BY_NAME[name]
    for target in targets("en"):
        right = edit.apply(target, dose=2)
        other = " " if name in STRUCTURE else "\n \n"
        sides = (target.text, *right.blocks)
        for spoilt in (
            edit.join(target.text[:-1], right.blocks, target.separator),
            edit.join("x" + target.text[1:], right.blocks, target.separator),
            right.text + " ",
            "\n\n".join(sides if edit.leads else (*right.blocks, target.text)),
            other.join((*right.blocks, target.text) if edit.leads else sides),
        ):
            refuse(edit, target, spoilt, right.blocks, "the original is not kept as it was", dose=2)


def test_the_place_of_a_block_is_checked_against_more_than_what_the_edit_says(monkeypatch: pytest.MonkeyPatch):
    for name in STRUCTURE:
        edit = edits.BY_NAME[name]
        for attribute, wrong in (("leads", not edit.leads), ("separator", " ")):
            with monkeypatch.context() as patch:
                patch.setattr(type(edit), attribute, wrong)
                with pytest.raises(EditBroken, match="the original is not kept as it was"):
                    apply_edits([edit], targets("en")[0])


@each_language
@pytest.mark.parametrize(
    ("name", "before", "after", "family"),
    [
        (
            "visible_date",
            {"en": "Published", "fr": "Publié", "de": "Veröffentlicht", "es": "Publicado"},
            {"en": "Updated", "fr": "Actualisé", "de": "Aktualisiert", "es": "Actualizado"},
            "freshness_update",
        ),
        (
            "update_note",
            {"en": "We all", "fr": "On a", "de": "Alle haben", "es": "Cada cual"},
            {"en": "Martin Okafor", "fr": "Karim Ouadal", "de": "Oliver Ngombe", "es": "Karim Ouadal"},
            "entity",
        ),
    ],
)
def test_a_dated_block_that_holds_more_than_its_date_is_refused(
    name: str, before: dict[str, str], after: dict[str, str], family: str, language: str
):
    edit = edits.BY_NAME[name]
    blocks = [(t, edit.apply(t, seed=seed).blocks[0]) for t, seed in product(targets(language), range(9))]
    held = [(t, block) for t, block in blocks if before[language] in block]
    assert held
    for target, block in held:
        spoilt = block.replace(before[language], after[language], 1)
        text = f"{target.text}{target.separator}{spoilt}"
        refuse(edit, target, text, [spoilt], f"a block holds a match of {family}")


def test_a_lost_and_a_surplus_block_and_a_block_in_two_pieces_are_noticed():
    target, edit = targets("en")[0], edits.BY_NAME["statistics"]
    for dose, other in ((1, 2), (2, 1)):
        edited = edit.apply(target, dose=dose)
        condition = f"it added {72 * dose} words at dose {other}, not {other} x 72"
        refuse(edit, target, edited.text, edited.blocks, condition, dose=other)
    words = edit.apply(target).blocks[0].split()
    pieces = (" ".join(words[:30]), " ".join(words[30:]))
    refuse(edit, target, target.separator.join((target.text, *pieces)), pieces, "it added 72 words at dose 1")


def test_levers_and_silent_edits_are_named_as_they_are():
    prose = {"off_topic_prose", "on_topic_prose"}
    assert set(EVIDENCE) | set(SILENT) == set(NAMES) - {"keyword_stuffing", "duplication"} | prose


def test_a_capture_stops_at_a_broken_edit_and_names_the_page(monkeypatch: pytest.MonkeyPatch):
    pages = demo("en")[:1]
    monkeypatch.setitem(edits.BY_NAME, "keyword_stuffing", LetterNoise())
    with pytest.raises(SteelyardError, match=f"{pages[0].id}: the edit keyword_stuffing is broken: it added"):
        capture(pages, SCORER, build_header(pages, "", "demo", SCORER, PLAN), PLAN, jobs=1, quiet=True)
