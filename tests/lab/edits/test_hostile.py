"""Pages made to break an edit: each is edited as the contract says, or refused as too short, in bounded time."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from steelyard.lab.edits import BY_NAME, EDITS, NAMES, apply_edits
from steelyard.lab.edits.base import ARMS, Edit, Target
from steelyard.lab.edits.topics import TooLittleText
from tests.hostile.pages import FILES, GROWING, SENTENCE, within
from tests.lab.edits.pages import LANGUAGES

STUFFING = BY_NAME["keyword_stuffing"]
SMALL, MEGABYTE = 2_000, 1_000_000
SECONDS = 10.0  # ten times what the slowest of them needs for a megabyte on a busy core

ODD = {
    "letters whose capital is another letter": "The ſhip, the ſhip and the ſhip met the harbour and the ledger. ",
    "a capital that becomes two letters": "ßeta ßeta ßeta of the harbour and the ledger and the tide. ",
    "a ligature": "The ﬂow of the ﬂow near the harbour and the ledger. ",
    "a letter without its dot": "The ılık ılık of the harbour and the ledger. ",
    "a letter of two cases": "The ǅungla ǅungla of the harbour and the ledger. ",
    "a final sigma": "ΟΔΟΣ ΟΔΟΣ ΛΟΓΟΣ of the harbour and the ledger. ",
    "half a pair": "\ud800 harbour \udc00 ledger tide. ",
    "NULs": "harb\0our ledg\0er tide level keeper\0. ",
    "braces": "The {topic1} of the {person} and the {harbour} in the {ledger}. ",
    "regex and format marks": r"The \1 of %s harbour $ledger (?P<tide> {0} \g<0> gauge. ",
    "words the score counts": "Stuff. The stuff and the latest. However, folks, the stuff of the latest harbour tide. ",
    "one word only": "harbour " * 300,
    "numbers only": "2019 63% 410 " * 100,
    "punctuation only": "... !!! ,,, ;;; ??? ",
    "Chinese": "港湾管理者 記録簿記録 潮位測定器 ",
    "letters of mathematics": "𝐡𝐚𝐫𝐛𝐨𝐮𝐫 𝐥𝐞𝐝𝐠𝐞𝐫 𝐭𝐢𝐝𝐞𝐬 ",
}
PAGES = (
    ODD
    | {name: make(SMALL) for name, make in GROWING.items()}
    | {f"file: {name}": data.decode("utf-8", "replace") for name, data in FILES.items()}
)


def edit_or_refuse(edit: Edit, text: str, language: str, **how) -> None:
    target = Target(text, language)
    try:
        edited = apply_edits([edit], target, **how)
    except TooLittleText:
        return
    assert edited.text.endswith(text) if edit.leads else edited.text.startswith(text)
    assert edited.text == edit.apply(target, **how).text


def test_a_hostile_page_is_edited_or_refused():
    for text in PAGES.values():
        for edit in EDITS:
            edit_or_refuse(edit, text, "en", dose=max(edit.doses))
            edit_or_refuse(edit, text, "fr")


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_odd_page_with_ordinary_words_is_edited_in_both_arms(language: str):
    for text in ODD.values():
        for edit in EDITS:
            for arm in ARMS:
                edited = apply_edits([edit], Target(text * 4 + SENTENCE * 4, language), arm=arm)
                assert text in edited.text if edit.leads else edited.text.startswith(text)


@cache
def megabyte(kind: str) -> str:
    return GROWING[kind](MEGABYTE)


@pytest.mark.parametrize("edit", EDITS, ids=NAMES)
@pytest.mark.parametrize("kind", [pytest.param("one huge line", marks=pytest.mark.full), "thousands of distinct words"])
def test_a_megabyte_takes_bounded_time(edit: Edit, kind: str):
    text = megabyte(kind)
    with within(SECONDS):
        edit_or_refuse(edit, text, "en", dose=max(edit.doses))


letters = st.text(st.characters(categories=["L"]), min_size=4, max_size=7)
SHORT = st.builds("{} {}".format, st.text(max_size=60), st.lists(letters, max_size=6).map(" the ".join))


@settings(max_examples=60, deadline=None)
@given(SHORT, st.sampled_from(EDITS), st.sampled_from(LANGUAGES), st.sampled_from(ARMS), st.integers(0, 2**40))
@example("ﬁres ﬁres ledger tide", STUFFING, "en", "repeat", 0)
@example("ŉaaa ŉaaa ledger tide", STUFFING, "fr", "repeat", 0)
def test_any_text_at_all_is_edited_or_refused(text: str, edit: Edit, language: str, arm: str, seed: int):
    edit_or_refuse(edit, text, language, dose=max(edit.doses), seed=seed, arm=arm)
