"""The suites: lists of attacks and doses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from steelyard.lab.edits import BY_NAME, apply_edits
from steelyard.lab.edits.attacks import ATTACKS
from steelyard.lab.edits.attacks.base import HEAVY, LIGHT, STRENGTHS, Attack, Job
from steelyard.lab.edits.attacks.keyword_interleaving import KeywordInterleaving, interleave
from steelyard.lab.edits.base import FRESH, Target
from steelyard.lab.protocol.variants import (
    DOSES,
    DUPLICATION,
    FILLER,
    FRESHNESS,
    LEVERS,
    STRUCTURE,
    STUFFING,
    variant_name,
)

MakeText = Callable[[Target, int, Sequence[str]], str]  # page, seed, donors → attacked text


@dataclass(frozen=True, slots=True)
class Case:
    """One attack at one strength, and how it is made."""

    name: str
    family: str
    strength: str
    make: MakeText

    @property
    def must_be_seen(self) -> bool:
        return self.family in CLAIMED_FAMILIES


# Families that the filter claims to detect; the others are reported as they come out.
CLAIMED_FAMILIES = frozenset(
    {
        "stuffing", "duplication", "combined", "links", "interleaving", "padding", "hidden", "instructions", "dumps",
        "near-duplicates", "tables", "navigation", "reviews", "faq",
    }
)  # fmt: skip


def _case_of_edits(names: Sequence[str], dose: int, strength: str, family: str) -> Case:
    def make(target: Target, seed: int, donors: Sequence[str]) -> str:
        return apply_edits([BY_NAME[name] for name in names], target, dose=dose, seed=seed).text

    return Case(f"{' + '.join(names)} d{dose}", family, strength, make)


def _case_of_attack(attack: Attack, strength: str) -> Case:
    def make(target: Target, seed: int, donors: Sequence[str]) -> str:
        return attack.apply(target, strength, seed=seed, donors=donors)

    return Case(f"{attack.name}, {strength}", attack.family, strength, make)


def _stuff_and_duplicate(target: Target, seed: int, donors: Sequence[str]) -> str:
    """Stuff the page at dose 8, and repeat the result."""
    stuffed = apply_edits([BY_NAME[STUFFING]], target, dose=8, seed=seed).text
    return target.separator.join((stuffed, stuffed))


def _interleave_moderately(target: Target, seed: int, donors: Sequence[str]) -> str:
    attack = KeywordInterleaving()
    job = Job(target, HEAVY, attack.seed_rng(target, seed, "moderate"))
    return interleave(job, round(MODERATE_SHARE * job.page_words))


# The paper does not print how much its heavy interleaving adds. At one keyword for every five words the rate of
# repeated tokens separates about as well as there; our own heavy attack adds three times as many.
MODERATE_SHARE = 0.2
MODERATE = Case("keyword_interleaving, moderate", "interleaving", HEAVY, _interleave_moderately)

# The paper's own benchmark, in its order. The fourth combination is ours: the paper names three.
PAPER = (
    _case_of_edits([STUFFING], 1, LIGHT, "stuffing"),
    _case_of_edits([STUFFING], 8, HEAVY, "stuffing"),
    replace(_case_of_edits([DUPLICATION], 1, HEAVY, "duplication"), name=DUPLICATION),
    Case(f"{STUFFING} + duplication d8", "stuffing", HEAVY, _stuff_and_duplicate),
    _case_of_edits([STUFFING, "quotation"], 8, HEAVY, "stuffing"),
    *(_case_of_edits([lever], 8, HEAVY, "levers") for lever in LEVERS),
    _case_of_edits(LEVERS, 8, HEAVY, "levers"),
    _case_of_edits([*LEVERS, STUFFING], 8, HEAVY, "stuffing"),
)
BEYOND = tuple(
    _case_of_attack(attack, strength)
    for attack in ATTACKS
    for strength in STRENGTHS
    if (attack.name, strength) != (DUPLICATION, HEAVY)  # the whole page once more, which the paper's suite has already
)
# What an honest editor does as well, and the filter does not claim to see.
EDITORIAL = (
    *(_case_of_edits([lever], 1, LIGHT, "structure") for lever in STRUCTURE),
    *(_case_of_edits([lever], 1, LIGHT, "freshness") for lever in FRESHNESS),
)
CASES = (*PAPER, MODERATE, *BEYOND, *EDITORIAL)

# The attacker's gain by dose: the doses that the paper's suite leaves out.
CURVES = tuple(_case_of_edits([lever], dose, LIGHT, "levers") for lever in LEVERS for dose in DOSES if dose != 8)
CURVE_VARIANTS = {
    **{lever: {dose: f"{lever} d{dose}" for dose in DOSES} for lever in LEVERS},
    STUFFING: {dose: f"{STUFFING} d{dose}" for dose in (1, 8)},
    FILLER: {dose: variant_name(FILLER, dose) for dose in DOSES},
}


def add_filler(target: Target, dose: int, seed: int) -> str:
    """Append fresh filler: what a page looks like that grew without any intent."""
    return apply_edits([BY_NAME[FILLER]], target, dose=dose, seed=seed, arm=FRESH).text
