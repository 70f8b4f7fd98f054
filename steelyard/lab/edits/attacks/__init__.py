"""Attacks on a page: ways to make it look better than it is, each light and heavy, in every language with edits."""

from __future__ import annotations

from steelyard.lab.edits.attacks.base import Attack
from steelyard.lab.edits.attacks.boilerplate_padding import BoilerplatePadding
from steelyard.lab.edits.attacks.comments import Comments
from steelyard.lab.edits.attacks.duplication import Duplication
from steelyard.lab.edits.attacks.entity_dump import EntityDump
from steelyard.lab.edits.attacks.fake_faq import FakeFaq
from steelyard.lab.edits.attacks.homoglyphs import Homoglyphs
from steelyard.lab.edits.attacks.invented_citations import InventedCitations
from steelyard.lab.edits.attacks.invented_reviews import InventedReviews
from steelyard.lab.edits.attacks.invented_tables import InventedTables
from steelyard.lab.edits.attacks.invisible_markup import InvisibleMarkup
from steelyard.lab.edits.attacks.keyword_interleaving import KeywordInterleaving
from steelyard.lab.edits.attacks.link_injection import LinkInjection
from steelyard.lab.edits.attacks.navigation_dump import NavigationDump
from steelyard.lab.edits.attacks.near_duplicates import NearDuplicates
from steelyard.lab.edits.attacks.number_dump import NumberDump
from steelyard.lab.edits.attacks.open_instructions import OpenInstructions
from steelyard.lab.edits.attacks.paraphrase import Paraphrase
from steelyard.lab.edits.attacks.planted_instructions import PlantedInstructions
from steelyard.lab.edits.attacks.splicing import Splicing
from steelyard.lab.edits.attacks.stuffing import Stuffing
from steelyard.lab.edits.attacks.stuffing_and_duplication import StuffingAndDuplication
from steelyard.lab.edits.attacks.zero_width import ZeroWidth

ATTACKS: tuple[Attack, ...] = (
    Stuffing(), Duplication(), StuffingAndDuplication(), LinkInjection(), KeywordInterleaving(), BoilerplatePadding(),
    ZeroWidth(), Homoglyphs(), InvisibleMarkup(), Comments(), PlantedInstructions(), OpenInstructions(),
    Splicing(), Paraphrase(), FakeFaq(), EntityDump(), NumberDump(), InventedCitations(),
    NearDuplicates(), InventedTables(), NavigationDump(), InventedReviews(),
)  # fmt: skip
NAMES = tuple(attack.name for attack in ATTACKS)
BY_NAME = {attack.name: attack for attack in ATTACKS}
