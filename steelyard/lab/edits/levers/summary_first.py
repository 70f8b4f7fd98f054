"""Summary first: a paragraph before the page that says what it is about."""

from __future__ import annotations

from steelyard.lab.edits.base import StructureEdit


class SummaryFirst(StructureEdit):
    """The page's topics in plain sentences, ahead of everything else."""

    leads = True
