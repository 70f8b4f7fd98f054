"""Table: a head and three rows, one for each topic."""

from __future__ import annotations

from steelyard.lab.edits.base import StructureEdit


class Table(StructureEdit):
    """The page's topics in the first column, plain words in the others."""

    between = "\n"
