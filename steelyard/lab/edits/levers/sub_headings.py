"""Sub-headings: three headings, each over one plain sentence."""

from __future__ import annotations

from steelyard.lab.edits.base import StructureEdit
from steelyard.lab.edits.phrasebook import Layout


class SubHeadings(StructureEdit):
    """The page's topics as headings."""

    layout = Layout(between="\n\n")
