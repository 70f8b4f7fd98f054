"""The panel of controls and the matched blocks do on every page what they promise, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from steelyard.components import BY_NAME as COMPONENTS
from steelyard.errors import InvalidFile
from steelyard.lab.corpus import loading
from steelyard.lab.edits import BY_NAME, CONTROLS, apply_edits
from steelyard.lab.edits.base import Target
from steelyard.lab.edits.controls import book
from steelyard.lab.edits.controls.book import SENTENCES, TEMPLATES
from steelyard.lab.edits.controls.evidence_matched_prose import COUNTS, count_evidence, plan_block
from steelyard.lab.edits.controls.matched import LEVERS, MATCHED
from steelyard.lab.edits.phrasebook import count_words
from steelyard.lab.edits.topics import COUNTED, TooLittleText, count_matches, open_text
from tests.conftest import SHARED_DATA
from tests.lab.edits.pages import targets

LANGUAGES = book.list_languages()
# What a lever's control lacks: the lever itself, and the names and claims that come with it.
PURPOSE = {
    "quotation": {"quotable", "entity"},
    "statistics": {"statistic", "entity"},
    "cite_sources": {"citation", "entity", "factual_claim"},
    "technical_terms": set(),
}


def list_corpus(language: str) -> list[Target]:
    """Return every page of the study's corpus, where it is here."""
    corpus = SHARED_DATA / f"web_{language}.jsonl"
    if not corpus.is_file():
        pytest.skip(f"no {corpus.name} here; STEELYARD_DATA names the folder")
    return [Target(page.flattened, language) for page in loading.load_corpus(str(corpus)).pages_in(language)]


def check_controls(pages: Iterable[Target]) -> int:
    """Apply every control at every dose; return how many pages were long enough."""
    number = 0
    for target in pages:
        try:
            for edit, dose in [(control, dose) for control in CONTROLS for dose in control.doses]:
                edited = apply_edits([edit], target, dose=dose)  # checks the postconditions
                assert count_words(edited.text) - count_words(target.text) == 72 * dose, (edit.name, target.text[:60])
            number += 1
        except TooLittleText:
            continue
    return number


def test_english_and_french_have_controls():
    assert set(LANGUAGES) == {"en", "fr"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_control_keeps_its_promises(language: str):
    assert check_controls(targets(language)) == len(targets(language))


@pytest.mark.full
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_control_keeps_its_promises_on_every_page_of_the_corpus(language: str):
    assert check_controls(list_corpus(language)) > 50


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_wording_and_its_control_differ_in_what_the_lever_is_named_after_alone(language: str):
    for target in targets(language):
        for lever, control in zip(MATCHED[::2], MATCHED[1::2], strict=True):
            counts = []
            for edit in (lever, control):
                block = edit.apply(target).blocks[0]
                doc = open_text(block, language)
                present = [family for family in COUNTED if family in doc.language.families]
                counts.append({family: count_matches(block, language, [family]) for family in present})
            differing = {family for family in counts[0] if counts[0][family] != counts[1][family]}
            assert differing <= PURPOSE[lever.lever], (lever.name, target.topics)


def test_each_lever_has_four_wordings_with_a_control_each():
    assert TEMPLATES >= 4
    names = [edit.name for edit in MATCHED]
    assert len(set(names)) == len(names) == 2 * TEMPLATES * len(LEVERS)
    assert all(f"{lever}_{kind}_{n}" in BY_NAME for lever in LEVERS for kind in ("lever", "control") for n in (1, 4))


@pytest.mark.parametrize("language", LANGUAGES)
def test_evidence_matched_prose_keeps_the_density_of_every_kind(language: str):
    edit = BY_NAME["evidence_matched_prose"]
    for target in targets(language):
        before = count_evidence(target.text, language)
        for dose in edit.doses:
            added = open_text(" ".join(edit.apply(target, dose=dose).blocks), language)
            wanted = {kind: before[kind] * 72 * dose / before["words"] for kind in COUNTS}
            if sum(wanted.values()) > SENTENCES * dose:
                continue  # denser than a block can be
            for kind in ("quotation", "citation", "statistic"):
                component, symbol = COUNTS[kind]
                held = COMPONENTS[component].count(added).parts[symbol]
                assert abs(held - wanted[kind]) <= 1, (kind, dose, target.text[:60])


def test_the_plan_of_a_block_owes_nothing_for_long():
    owed = {"quotation": 0.0, "citation": 0.0, "statistic": 0.0, "name": 0.0}
    for _ in range(20):
        for kind, rate in zip(owed, (0.4, 0.3, 1.2, 3.1), strict=True):
            owed[kind] += rate
        assert len(plan_block(owed)) == SENTENCES
        assert all(abs(left) <= 1 for left in owed.values())
    assert plan_block(dict.fromkeys(owed, 0.0)) == ["plain"] * SENTENCES


def test_own_sentences_are_words_of_the_page_in_their_order():
    for target in targets("en"):
        block = BY_NAME["own_sentences"].apply(target).blocks[0]
        words = [word for word in target.text.split() if count_words(word)]
        assert block in " ".join(words * 3)


def test_a_wording_of_another_length_is_refused(monkeypatch: pytest.MonkeyPatch):
    right = book.load("en")
    place = right.pairs["quotation"][0]
    active, inert = place[0]
    wrong = {**right.pairs, "quotation": (((active, f"{inert} more"), *place[1:]), *right.pairs["quotation"][1:])}
    with pytest.raises(InvalidFile, match="has not as many words"):
        book._check("en", book.ControlBook(right.prose, right.evidence, right.persons, right.bodies, wrong))
    with pytest.raises(InvalidFile, match="words, not 12"):
        book._check("en", book.ControlBook(right.prose, {"plain": ("Too short.",)}, right.persons, right.bodies, {}))
