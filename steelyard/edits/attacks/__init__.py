"""Attacks on a page: ways to make it look better than it is, each light and heavy, in English and French."""

from __future__ import annotations

from steelyard.edits.attacks.base import HEAVY, LIGHT, SHARES, STRENGTHS, Attack, Attacked, NoDonors
from steelyard.edits.attacks.boilerplate_padding import BoilerplatePadding
from steelyard.edits.attacks.comments import Comments
from steelyard.edits.attacks.duplication import Duplication
from steelyard.edits.attacks.entity_dump import EntityDump
from steelyard.edits.attacks.fake_faq import FakeFaq
from steelyard.edits.attacks.homoglyphs import Homoglyphs
from steelyard.edits.attacks.invented_citations import InventedCitations
from steelyard.edits.attacks.invisible_markup import InvisibleMarkup
from steelyard.edits.attacks.keyword_interleaving import KeywordInterleaving
from steelyard.edits.attacks.link_injection import LinkInjection
from steelyard.edits.attacks.number_dump import NumberDump
from steelyard.edits.attacks.open_instructions import OpenInstructions
from steelyard.edits.attacks.paraphrase import Paraphrase
from steelyard.edits.attacks.planted_instructions import PlantedInstructions
from steelyard.edits.attacks.splicing import Splicing
from steelyard.edits.attacks.stuffing import Stuffing
from steelyard.edits.attacks.stuffing_and_duplication import StuffingAndDuplication
from steelyard.edits.attacks.zero_width import ZeroWidth

ATTACKS: tuple[Attack, ...] = (
    Stuffing(),
    Duplication(),
    StuffingAndDuplication(),
    LinkInjection(),
    KeywordInterleaving(),
    BoilerplatePadding(),
    ZeroWidth(),
    Homoglyphs(),
    InvisibleMarkup(),
    Comments(),
    PlantedInstructions(),
    OpenInstructions(),
    Splicing(),
    Paraphrase(),
    FakeFaq(),
    EntityDump(),
    NumberDump(),
    InventedCitations(),
)
NAMES = tuple(attack.name for attack in ATTACKS)
BY_NAME = {attack.name: attack for attack in ATTACKS}

__all__ = [
    "ATTACKS", "BY_NAME", "HEAVY", "LIGHT", "NAMES", "SHARES", "STRENGTHS", "Attack", "Attacked", "NoDonors",
]  # fmt: skip
