"""Edits of a page: levers that add evidence, controls that should not help, and what must hold for each."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.lab.edits.base import REPEAT, Edit, EditedPage, Target
from steelyard.lab.edits.controls.duplication import Duplication
from steelyard.lab.edits.controls.keyword_stuffing import KeywordStuffing
from steelyard.lab.edits.controls.neutral_filler import NeutralFiller
from steelyard.lab.edits.levers.cite_sources import CiteSources
from steelyard.lab.edits.levers.quotation import Quotation
from steelyard.lab.edits.levers.statistics import Statistics
from steelyard.lab.edits.levers.technical_terms import TechnicalTerms
from steelyard.lab.edits.postconditions import check_edit

EDITS: tuple[Edit, ...] = (
    Quotation(),
    Statistics(),
    CiteSources(),
    TechnicalTerms(),
    KeywordStuffing(),
    NeutralFiller(),
    Duplication(),
)
NAMES = tuple(edit.name for edit in EDITS)
BY_NAME = {edit.name: edit for edit in EDITS}


def apply_edits(
    edits: Sequence[Edit], target: Target, *, dose: int = 1, seed: int = 0, arm: str = REPEAT
) -> EditedPage:
    """Append the blocks of every edit in turn, each written for the unedited page and checked.

    Raises:
        TooLittleText: The page has too few words of its own.
        EditBroken: An edit did not do what it promises.
    """
    blocks: tuple[str, ...] = ()
    for edit in edits:
        blocks += check_edit(edit, target, edit.apply(target, dose=dose, seed=seed, arm=arm), dose=dose).blocks
    return EditedPage(target.separator.join((target.text, *blocks)), blocks)
