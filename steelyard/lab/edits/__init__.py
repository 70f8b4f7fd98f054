"""Edits of a page: levers that add something, controls that should not help, and what must hold for each."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.lab.edits.base import REPEAT, Edit, EditedPage, Target
from steelyard.lab.edits.controls.evidence_matched_prose import EvidenceMatchedProse
from steelyard.lab.edits.controls.fillers import FillerParagraph, NeutralFiller, OffTopicProse, OnTopicProse
from steelyard.lab.edits.controls.matched import MATCHED
from steelyard.lab.edits.controls.own_words import Duplication, KeywordStuffing, OwnSentences
from steelyard.lab.edits.controls.short_block import ShortBlock
from steelyard.lab.edits.controls.stuffed import STUFFED
from steelyard.lab.edits.levers import (
    BulletList,
    CiteSources,
    Quotation,
    Statistics,
    SubHeadings,
    SummaryFirst,
    Table,
    TechnicalTerms,
    UpdateNote,
    VisibleDate,
)
from steelyard.lab.edits.postconditions import check_edit

EDITS: tuple[Edit, ...] = (
    Quotation(),
    Statistics(),
    CiteSources(),
    TechnicalTerms(),
    KeywordStuffing(),
    NeutralFiller(),
    Duplication(),
    FillerParagraph(),
    SubHeadings(),
    BulletList(),
    Table(),
    SummaryFirst(),
    VisibleDate(),
    UpdateNote(),
)
# Other fillers to compare with, and each lever's block with and without its active ingredient: `lab protocol controls`.
CONTROLS: tuple[Edit, ...] = (OffTopicProse(), OnTopicProse(), OwnSentences(), EvidenceMatchedProse(), *MATCHED)
# What only engines are asked about: stuffing in four templates, and blocks of at most a third of the page.
SHORT: tuple[Edit, ...] = tuple(map(ShortBlock, (*MATCHED, *STUFFED, NeutralFiller())))
FOR_ENGINES: tuple[Edit, ...] = (*STUFFED, *SHORT)
NAMES = tuple(edit.name for edit in EDITS)
BY_NAME = {edit.name: edit for edit in (*EDITS, *CONTROLS, *FOR_ENGINES)}


def apply_edits(
    edits: Sequence[Edit], target: Target, *, dose: int = 1, seed: int = 0, arm: str = REPEAT
) -> EditedPage:
    """Add the blocks of every edit in turn, each written for the unedited page and checked.

    Raises:
        TooLittleText: The page has too few words of its own.
        EditBroken: An edit did not do what it promises.
    """
    text = target.text
    blocks: tuple[str, ...] = ()
    for edit in edits:
        edited = check_edit(edit, target, edit.apply(target, dose=dose, seed=seed, arm=arm), dose=dose)
        text = edit.join(text, edited.blocks, target.separator)
        blocks += edited.blocks
    return EditedPage(text, blocks)
