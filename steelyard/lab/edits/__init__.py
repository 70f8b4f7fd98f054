"""Edits of a page: levers that add evidence, controls that should not help, and what must hold of each."""

from __future__ import annotations

from steelyard.lab.edits.base import Edit
from steelyard.lab.edits.controls.duplication import Duplication
from steelyard.lab.edits.controls.keyword_stuffing import KeywordStuffing
from steelyard.lab.edits.controls.neutral_filler import NeutralFiller
from steelyard.lab.edits.levers.cite_sources import CiteSources
from steelyard.lab.edits.levers.quotation import Quotation
from steelyard.lab.edits.levers.statistics import Statistics
from steelyard.lab.edits.levers.technical_terms import TechnicalTerms

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
