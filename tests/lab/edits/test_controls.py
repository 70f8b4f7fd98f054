"""The panel of controls and the matched blocks do on every page what they promise, and nothing else."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from itertools import product

import pytest

from steelyard.components import BY_NAME as COMPONENTS
from steelyard.errors import InvalidFile
from steelyard.lab.edits import BY_NAME, CONTROLS, EDITS, apply_edits
from steelyard.lab.edits.base import ARMS, REPEAT, Target
from steelyard.lab.edits.controls import book
from steelyard.lab.edits.controls.book import SENTENCES, TEMPLATES
from steelyard.lab.edits.controls.evidence_matched_prose import COUNTS, count_evidence, plan_block
from steelyard.lab.edits.controls.matched import LEVERS, MATCHED
from steelyard.lab.edits.controls.own_words import Duplication
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


# The measuring data that has pages of a language; the longest are whole web pages.
PAGES = {
    "en": ("web_en.jsonl", "human/dclm.jsonl", "human/health_releases.jsonl.gz"),
    "fr": ("web_fr.jsonl", "human/pages_fr.jsonl.gz", "human/register_fr.jsonl"),
    "de": ("web_de.jsonl", "human/pages_de.jsonl.gz"),
    "es": ("web_es.jsonl", "human/pages_es.jsonl.gz", "human/register_es.jsonl"),
}
SILENT = ("neutral_filler", "off_topic_prose", "on_topic_prose", "technical_terms")
ENDS = re.compile(r"[.!?…][\"”»’)]*$")  # of a page whose last sentence is whole: no match goes on in the block


def list_measured(language: str) -> Iterator[Target]:
    """Yield every page of the measuring data in both views, where it is here."""
    for name in PAGES[language]:
        path = SHARED_DATA / name
        if not path.is_file():
            pytest.skip(f"no {name} here; STEELYARD_DATA names the folder")
        content = path.read_bytes()
        for line in (gzip.decompress(content) if name.endswith(".gz") else content).splitlines():
            text = json.loads(line)["text"]
            for view in dict.fromkeys((" ".join(text.split()), text.strip())):
                yield Target(view, language)


def check_page(target: Target) -> bool:
    """Apply every edit at every dose and in both arms; return whether the page is long enough for one."""
    try:
        assert target.topics
    except TooLittleText:
        return False
    controls = CONTROLS if target.language in LANGUAGES else ()
    for edit, arm in (*product(EDITS, ARMS), *((control, REPEAT) for control in controls)):
        for dose in edit.doses:
            edited = apply_edits([edit], target, dose=dose, arm=arm)  # checks the postconditions
            if not isinstance(edit, Duplication):
                added = count_words(edited.text) - count_words(target.text)
                assert added == 72 * dose, (edit.name, target.text[:60])
    if ENDS.search(target.text):
        before = list_matches(target.text, target.language)
        for edit in (edit for edit in (*EDITS, *controls) if edit.name in SILENT):
            after = list_matches(apply_edits([edit], target).text, target.language)
            assert after == before, (edit.name, target.text[:60])
    if controls:
        check_matched(target)
    return True


def list_matches(text: str, language: str) -> dict[str, list[str]]:
    doc = open_text(text, language)
    return {
        family: sorted({doc.matched_text(match) for match in doc.find(family)})
        for family in ("quotation", "quotable", "statistic", "citation", "entity")
        if family in doc.language.families
    }


def check_matched(target: Target) -> None:
    """A wording and its control differ in what the lever is named after, and in nothing else."""
    for lever, control in zip(MATCHED[::2], MATCHED[1::2], strict=True):
        counts = []
        for edit in (lever, control):
            block = edit.apply(target).blocks[0]
            doc = open_text(block, target.language)
            present = [family for family in COUNTED if family in doc.language.families]
            counts.append({family: count_matches(block, target.language, [family]) for family in present})
        differing = {family for family in counts[0] if counts[0][family] != counts[1][family]}
        assert differing <= PURPOSE[lever.lever], (lever.name, target.topics)


def test_english_and_french_have_controls():
    assert set(LANGUAGES) == {"en", "fr"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_edit_and_control_keeps_its_promises(language: str):
    assert all(map(check_page, targets(language)))


@pytest.mark.full
@pytest.mark.parametrize("language", PAGES)
def test_every_edit_and_control_keeps_its_promises_on_every_measured_page(language: str):
    assert sum(map(check_page, list_measured(language))) > 200


def test_a_page_that_is_full_of_sources_gets_as_many_as_a_block_holds():
    names = (f"{first}{rest}" for first, rest in product("BCDFGHKLMNPRSTVW", ("arlow", "ennet", "ollin", "uring")))
    page = " ".join(f"The harbour moved its grain ({name}, {1950 + at})." for at, name in enumerate(names))
    assert check_page(Target(page, "en"))


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
