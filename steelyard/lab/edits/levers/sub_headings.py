"""Sub-headings: three headings, each over one plain sentence."""

from __future__ import annotations

from steelyard.lab.edits.base import StructureEdit


class SubHeadings(StructureEdit):
    """The page's topics as headings."""

    between = "\n\n"
