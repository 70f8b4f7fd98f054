"""The contract of an attack: one suite that each must pass, in both languages, light and heavy."""

from __future__ import annotations

import hashlib
import math
import os
import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from steelyard.errors import UnknownName
from steelyard.lab.edits import EDITS, attacks
from steelyard.lab.edits.attacks import ATTACKS, NAMES
from steelyard.lab.edits.attacks.base import HEAVY, LIGHT, MIN_WORDS, STRENGTHS, Attack, NoDonors
from steelyard.lab.edits.base import ARMS, Target
from steelyard.lab.edits.topics import TooLittleText
from tests.lab.edits.attacks.pages import attacked, donors
from tests.lab.edits.pages import LANGUAGES, targets

ROOT = Path(__file__).resolve().parents[4]
APPENDING = (
    "stuffing", "duplication", "stuffing_and_duplication", "boilerplate_padding", "paraphrase", "fake_faq",
    "entity_dump", "number_dump", "invented_citations",
)  # fmt: skip

WITHOUT_DRAWS = ("stuffing", "duplication", "stuffing_and_duplication")

each_attack = pytest.mark.parametrize("attack", ATTACKS, ids=NAMES)
each_language = pytest.mark.parametrize("language", LANGUAGES)


def every_target() -> list[tuple[Target, str]]:
    """Every page in both languages, with both strengths."""
    return [(target, strength) for language in LANGUAGES for target in targets(language) for strength in STRENGTHS]


@each_attack
class TestOnEveryPage:
    def test_page_strength_seed_and_donors_decide_every_letter_and_a_share_is_added(self, attack: Attack):
        for target, strength in every_target():
            again = Target(target.text, target.language)
            made = type(attack)().apply(again, strength, donors=donors(target.language))
            assert made == attacked(attack, target, strength)
            assert made != target.text
            low, high = {LIGHT: (0.10, 0.15), HEAVY: (0.50, math.inf)}[strength] if attack.adds_words else (0, 0)
            assert low <= len(made.split()) / len(target.text.split()) - 1 <= high

    def test_another_seed_is_another_text(self, attack: Attack):
        for language, strength in product(LANGUAGES, STRENGTHS):
            target = targets(language)[0]
            texts = {attacked(attack, target, strength, seed) for seed in range(4)}
            assert len(texts) == (1 if attack.name in WITHOUT_DRAWS else 4)

    def test_no_slot_is_left_open(self, attack: Attack):
        for target, strength in every_target():
            before, after = (
                re.findall(r"\{[a-z0-9_]*\}", t) for t in (target.text, attacked(attack, target, strength))
            )
            assert set(after) <= set(before)


@pytest.mark.parametrize("name", APPENDING)
def test_an_appended_block_stands_after_the_untouched_page(name: str):
    for target, strength in every_target():
        text = attacked(attacks.BY_NAME[name], target, strength)
        assert text.startswith(target.text + target.separator)


@each_attack
def test_a_page_without_words_or_too_short_for_a_share_is_refused(attack: Attack):
    for text, strength in product(("", "   \n", "the of and", "2019 63% 410"), STRENGTHS):
        with pytest.raises(TooLittleText):
            attack.apply(Target(text), strength, donors=donors("en"))
    text = "The keeper wrote the level of the tide into the ledger. " * 3
    with pytest.raises(TooLittleText, match=f"33 words and an attack needs {MIN_WORDS}"):
        attack.apply(Target(text), LIGHT, donors=donors("en"))


@each_attack
def test_an_unknown_strength_or_language_is_refused_by_name(attack: Attack):
    with pytest.raises(UnknownName, match="'hevy'; did you mean 'heavy'"):
        attack.apply(targets("en")[0], "hevy")
    with pytest.raises(UnknownName, match="'nl'"):
        attack.apply(Target("Het peil in de haven en het register van de getijden. " * 9, "nl"), LIGHT)


@each_language
def test_splicing_without_enough_donors_says_how_many_words_it_needs(language: str):
    target = targets(language)[0]
    splicing = attacks.BY_NAME["splicing"]
    assert [attack.name for attack in ATTACKS if attack.needs_donors] == ["splicing"]
    for pages in ((), (target.text,), ("One short donor sentence stands alone here.",)):
        with pytest.raises(NoDonors, match="give it more donors"):
            splicing.apply(target, HEAVY, donors=pages)


@each_attack
def test_donors_change_only_the_attack_that_needs_them(attack: Attack):
    target = targets("en")[0]
    if not attack.needs_donors:
        assert attack.apply(target, LIGHT) == attacked(attack, target, LIGHT)


@each_attack
def test_class_file_and_name_are_one(attack: Attack):
    assert type(attack).__module__.rsplit(".", 1)[1] == attack.name
    assert attack.family


def test_every_file_of_an_attack_is_in_the_tuple():
    files = {path.stem for path in (ROOT / "steelyard" / "lab" / "edits" / "attacks").glob("*.py")}
    assert files - set(NAMES) == {"__init__", "base", "placement", "texts"}
    assert len(set(NAMES)) == len(NAMES)


def _digest() -> str:
    total = hashlib.sha256()
    for language, strength in product(LANGUAGES, STRENGTHS):
        for target in targets(language, 1):
            texts = [attack.apply(target, strength, seed=3, donors=donors(language)) for attack in ATTACKS]
            texts += [edit.apply(target, dose=max(edit.doses), seed=3, arm=arm).text for edit in EDITS for arm in ARMS]
            total.update("\0".join(texts).encode())
    return total.hexdigest()


def test_attacks_and_edits_are_the_same_in_another_process_with_another_hash_seed():
    code = "from tests.lab.edits.attacks.test_contract import _digest; print(_digest())"
    environment = {**os.environ, "PYTHONHASHSEED": "4242", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600, check=True
    )
    assert done.stdout.strip() == _digest()
