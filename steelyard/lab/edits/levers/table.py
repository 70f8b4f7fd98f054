"""Table: a head and three rows, one for each topic."""

from __future__ import annotations

from steelyard.lab.edits.base import StructureEdit
from steelyard.lab.edits.phrasebook import Layout


class Table(StructureEdit):
    """The page's topics in the first column, plain words in the others."""

    layout = Layout(between="\n")
