"""The suites: lists of attacks and doses, and the neutral control each is measured against."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from steelyard.lab import edits
from steelyard.lab.edits.attacks import ATTACKS
from steelyard.lab.edits.attacks.base import HEAVY, LIGHT
from steelyard.lab.edits.base import FRESH, Target
from steelyard.lab.edits.composition import applied
from steelyard.lab.protocol.variants import DOSES, FILLER, LEVERS, STUFFING, named

Made = Callable[[Target, int, Sequence[str]], str]


@dataclass(frozen=True, slots=True)
class Case:
    """One attack at one strength: how it is made, and the dose of filler that adds about as many words."""

    name: str
    family: str
    strength: str
    control: int
    make: Made
    must_be_seen: bool = False


# Families that the filter claims to see; the others are reported as they come out.
SEEN = frozenset(
    {"stuffing", "duplication", "combined", "links", "interleaving", "padding", "hidden", "instructions", "dumps"}
)


def _edited(names: Sequence[str], dose: int, strength: str, family: str) -> Case:
    chosen = [edits.BY_NAME[n] for n in names]

    def make(target: Target, seed: int, donors: Sequence[str]) -> str:
        return applied(chosen, target, dose=dose, seed=seed).text

    title = " + ".join(names)
    return Case(f"{title} d{dose}", family, strength, dose if dose in DOSES else 1, make, family in SEEN)


def _stuffed_double(target: Target, seed: int, donors: Sequence[str]) -> str:
    """The page stuffed at dose 8, and then all of it again."""
    stuffed = applied([edits.BY_NAME[STUFFING]], target, dose=8, seed=seed).text
    return target.separator.join((stuffed, stuffed))


def _doubled(target: Target, seed: int, donors: Sequence[str]) -> str:
    return applied([edits.BY_NAME["duplication"]], target, seed=seed).text


# The paper's own benchmark, in its order. The fourth combination is ours: the paper names three.
PAPER = (
    _edited([STUFFING], 1, LIGHT, "stuffing"),
    _edited([STUFFING], 8, HEAVY, "stuffing"),
    Case("duplication", "duplication", HEAVY, 3, _doubled, True),
    Case(f"{STUFFING} + duplication d8", "stuffing", HEAVY, 8, _stuffed_double, True),
    _edited([STUFFING, "quotation"], 8, HEAVY, "stuffing"),
    *(_edited([lever], 8, HEAVY, "levers") for lever in LEVERS),
    _edited(LEVERS, 8, HEAVY, "levers"),
    _edited([*LEVERS, STUFFING], 8, HEAVY, "stuffing"),
)


def _attack(attack: object, strength: str) -> Case:
    family = attack.family  # type: ignore[attr-defined]

    def make(target: Target, seed: int, donors: Sequence[str]) -> str:
        return str(attack.apply(target, strength, seed=seed, donors=donors).text)  # type: ignore[attr-defined]

    return Case(f"{attack.name}, {strength}", family, strength, CONTROL[strength], make, family in SEEN)  # type: ignore[attr-defined]


CONTROL = {LIGHT: 1, HEAVY: 3}  # 72 and 216 words, beside 12% and 60% of a page of 400
_IN_PAPER = ("duplication, heavy",)  # the whole page once more, which the paper's suite holds already
BEYOND = tuple(c for c in (_attack(a, s) for a in ATTACKS for s in (LIGHT, HEAVY)) if c.name not in _IN_PAPER)
CASES = (*PAPER, *BEYOND)

# The attacker's gain by dose: what the paper's suite leaves out of the doses.
CURVES = tuple(_edited([lever], dose, LIGHT, "levers") for lever in LEVERS for dose in DOSES if dose != 8)
CURVED = {
    **{lever: {dose: f"{lever} d{dose}" for dose in DOSES} for lever in LEVERS},
    STUFFING: {dose: f"{STUFFING} d{dose}" for dose in (1, 8)},
    FILLER: {dose: named(FILLER, dose) for dose in DOSES},
}


def neutral(target: Target, dose: int, seed: int) -> str:
    """The page with fresh filler: what a page looks like that grew without anybody's intent."""
    return applied([edits.BY_NAME[FILLER]], target, dose=dose, seed=seed, arm=FRESH).text


def neutral_name(dose: int) -> str:
    return named(FILLER, dose)
