"""Pages made to break an attack: each is attacked as the contract says, or refused as too short, in bounded time."""

from __future__ import annotations

import contextlib
import unicodedata
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.lab.edits.attacks import ATTACKS, NAMES
from steelyard.lab.edits.attacks.base import STRENGTHS, Attack, NoDonors
from steelyard.lab.edits.base import Target
from steelyard.lab.edits.topics import TooLittleText
from tests.hostile.pages import GROWING, SENTENCE, within
from tests.lab.edits.pages import LANGUAGES
from tests.lab.edits.test_hostile import ODD, PAGES, SHORT

LONG = 200_000  # characters
SECONDS = 5.0  # ten times what the slowest of them needs on a busy core
DONORS = (SENTENCE * 40, "Nobody at the harbour had seen the lamp go out before the storm. The boat came home late.")


def attack_or_refuse(attack: Attack, text: str, language: str, strength: str, seed: int = 0) -> None:
    with contextlib.suppress(TooLittleText, NoDonors):
        attack.apply(Target(text, language), strength, seed=seed, donors=DONORS)


def test_a_hostile_page_is_attacked_or_refused():
    for text in PAGES.values():
        for attack in ATTACKS:
            attack_or_refuse(attack, text, "en", "heavy")
            attack_or_refuse(attack, text, "fr", "light")


def test_an_odd_page_with_ordinary_words_is_attacked():
    for text in ODD.values():
        for strength in STRENGTHS:
            target = Target(text * 4 + SENTENCE * 4)
            for attack in ATTACKS:
                if not attack.needs_donors:
                    assert attack.apply(target, strength) != target.text


@pytest.mark.parametrize("attack", ATTACKS, ids=NAMES)
@pytest.mark.parametrize("kind", ["one huge line", "spaces before a pipe"])
def test_a_long_page_takes_bounded_time(attack: Attack, kind: str):
    text = GROWING[kind](LONG)
    with within(SECONDS):
        attack_or_refuse(attack, text, "en", "light")


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKD"])
def test_accents_that_stand_apart_and_soft_hyphens_are_part_of_their_words(form: Literal["NFC", "NFD", "NFKD"]):
    sentence = "La spécificité des créations et de la répéti\u00adtion étonne les élèves de l'été. "
    target = Target(unicodedata.normalize(form, sentence * 6), "fr")
    assert "spécificité" in target.topics
    for attack in ATTACKS:
        if not attack.needs_donors:
            assert attack.apply(target, "heavy") != target.text


@settings(max_examples=80, deadline=None)
@given(SHORT, st.sampled_from(ATTACKS), st.sampled_from(LANGUAGES), st.sampled_from(STRENGTHS), st.integers(0, 2**40))
def test_any_text_at_all_is_attacked_or_refused(text: str, attack: Attack, language: str, strength: str, seed: int):
    attack_or_refuse(attack, f"{text} {SENTENCE * 3}", language, strength, seed)
