"""The contract of an attack: one suite that each must pass, in both languages, light and heavy."""

from __future__ import annotations

import hashlib
import inspect
import os
import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from steelyard.errors import UnknownName
from steelyard.lab.edits import attacks, phrasebook
from steelyard.lab.edits.attacks import ATTACKS, NAMES, STRENGTHS, NoDonors, material
from steelyard.lab.edits.attacks.base import FEWEST_WORDS, Attack, TooFewWords
from steelyard.lab.edits.attacks.boilerplate_padding import STYLES, BoilerplatePadding
from steelyard.lab.edits.attacks.conditions import in_order
from steelyard.lab.edits.base import Target
from steelyard.lab.edits.topics import TooLittleText
from tests.lab.edits.attacks.pages import attacked, donors
from tests.lab.edits.pages import LANGUAGES, targets

ROOT = Path(__file__).resolve().parents[3]
APPENDING = (
    "stuffing", "duplication", "stuffing_and_duplication", "boilerplate_padding", "paraphrase", "fake_faq",
    "entity_dump", "number_dump", "invented_citations",
)  # fmt: skip

each_attack = pytest.mark.parametrize("attack", ATTACKS, ids=NAMES)
each_strength = pytest.mark.parametrize("strength", STRENGTHS)
each_language = pytest.mark.parametrize("language", LANGUAGES)


@each_attack
@each_strength
@each_language
class TestOnEveryPage:
    def test_page_strength_seed_and_donors_decide_every_letter(self, attack: Attack, strength: str, language: str):
        for target in targets(language):
            again = Target(target.text, language)
            made = type(attack)().apply(again, strength, donors=donors(language))
            assert made == attacked(attack, target, strength)

    def test_a_share_of_the_page_is_added(self, attack: Attack, strength: str, language: str):
        for target in targets(language):
            result = attacked(attack, target, strength)
            words = len(target.text.split())
            assert result.added_words == len(result.text.split()) - words
            share = result.added_words / words
            if not attack.adds:
                assert share == 0
            elif strength == attacks.LIGHT:
                assert 0.10 <= share <= 0.15
            else:
                assert share >= 0.50

    def test_every_word_of_the_page_is_still_there_in_its_order(self, attack: Attack, strength: str, language: str):
        for target in targets(language):
            text = attacked(attack, target, strength).text
            if attack.adds:
                assert in_order(attack.plain(target.text).split(), attack.plain(text).split())
            assert text != target.text

    def test_another_seed_is_another_text(self, attack: Attack, strength: str, language: str):
        target = targets(language)[0]
        texts = {attacked(attack, target, strength, seed).text for seed in range(4)}
        assert len(texts) == (4 if attack.seeded else 1)

    def test_no_slot_is_left_open(self, attack: Attack, strength: str, language: str):
        for target in targets(language):
            before, after = (
                re.findall(r"\{[a-z0-9_]*\}", t) for t in (target.text, attacked(attack, target, strength).text)
            )
            assert set(after) <= set(before)


@pytest.mark.parametrize("name", APPENDING)
@each_strength
@each_language
def test_an_appended_block_stands_after_the_untouched_page(name: str, strength: str, language: str):
    for target in targets(language):
        text = attacked(attacks.BY_NAME[name], target, strength).text
        assert text.startswith(target.text + target.separator)


@each_attack
def test_a_page_without_words_is_refused(attack: Attack):
    for text, strength in product(("", "   \n", "the of and", "2019 63% 410"), STRENGTHS):
        with pytest.raises(TooLittleText):
            attack.apply(Target(text), strength, donors=donors("en"))


@each_attack
def test_a_page_of_which_no_share_is_a_sentence_is_refused(attack: Attack):
    text = "The keeper wrote the level of the tide into the ledger. " * 3
    assert len(text.split()) < FEWEST_WORDS
    with pytest.raises(TooFewWords, match="33 words"):
        attack.apply(Target(text), attacks.LIGHT, donors=donors("en"))


@each_attack
def test_an_unknown_strength_or_language_is_refused_by_name(attack: Attack):
    with pytest.raises(UnknownName, match="'hevy'; did you mean 'heavy'"):
        attack.apply(targets("en")[0], "hevy")
    with pytest.raises(UnknownName, match="'de'"):
        attack.apply(Target("Der Pegel am Hafen und das Register der Gezeiten. " * 9, "de"), attacks.LIGHT)


@each_language
def test_splicing_without_enough_donors_says_how_many_words_it_needs(language: str):
    target = targets(language)[0]
    splicing = attacks.BY_NAME["splicing"]
    assert [attack.name for attack in ATTACKS if attack.needs_donors] == ["splicing"]
    for pages in ((), (target.text,), ("One short donor sentence stands alone here.",)):
        with pytest.raises(NoDonors, match="give it more donors"):
            splicing.apply(target, attacks.HEAVY, donors=pages)


@each_attack
def test_donors_change_only_the_attack_that_needs_them(attack: Attack):
    target = targets("en")[0]
    if not attack.needs_donors:
        assert attack.apply(target, attacks.LIGHT) == attacked(attack, target, attacks.LIGHT)


@each_attack
def test_class_file_and_name_are_one(attack: Attack):
    kind = type(attack)
    assert kind.__module__.rsplit(".", 1)[1] == attack.name
    assert kind.__name__ == "".join(word.capitalize() for word in attack.name.split("_"))
    assert inspect.getdoc(kind)
    assert attack.family
    assert attacks.BY_NAME[attack.name] is attack


def test_every_file_of_an_attack_is_in_the_tuple():
    files = {path.stem for path in (ROOT / "steelyard/edits/attacks").glob("*.py")}
    assert files - set(NAMES) == {"__init__", "base", "conditions", "material", "placing"}
    assert len(set(NAMES)) == len(NAMES)


def test_the_attacks_of_the_paper_are_the_six_it_tabulates():
    assert [attack.name for attack in ATTACKS if attack.described] == [
        "stuffing", "duplication", "stuffing_and_duplication", "link_injection", "keyword_interleaving",
        "boilerplate_padding",
    ]  # fmt: skip


@pytest.mark.parametrize("style", STYLES)
@each_language
def test_boilerplate_of_one_style_has_its_own_name_and_only_its_sentences(style: str, language: str):
    target = targets(language)[0]
    attack = BoilerplatePadding(style)
    assert attack.name == f"boilerplate_padding_{style}"
    others = [s for s in STYLES if s != style]
    block = set(phrasebook.words(attack.apply(target, attacks.HEAVY).text)) - set(phrasebook.words(target.text))
    texts = {s: _vocabulary(language, s) for s in STYLES}
    assert block & texts[style]
    assert not block & (set.union(*(texts[s] for s in others)) - texts[style] - _slot_words(language))


def _vocabulary(language: str, style: str) -> set[str]:
    book = material.load(language)
    return {word for text in book.list("boilerplate", style) for word in phrasebook.words(text)}


def _slot_words(language: str) -> set[str]:
    return {word for values in material.load(language).slots.values() for v in values for word in phrasebook.words(v)}


def test_an_unknown_style_of_boilerplate_is_refused_by_name():
    with pytest.raises(UnknownName, match="'sale'; did you mean 'sales'"):
        BoilerplatePadding("sale")


def _digest() -> str:
    total = hashlib.sha256()
    for language, strength in product(LANGUAGES, STRENGTHS):
        for target, attack in product(targets(language, 1), ATTACKS):
            text = attack.apply(target, strength, seed=3, donors=donors(language)).text
            total.update(text.encode() + b"\0")
    return total.hexdigest()


def test_another_process_with_another_hash_seed_writes_the_same_letters():
    code = "from tests.lab.edits.attacks.test_contract import _digest; print(_digest())"
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in ("1", "4242")
    ]
    assert {process.communicate(timeout=60)[0].strip() for process in running} == {_digest()}
