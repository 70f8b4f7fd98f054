"""Bullet list: three items, the sentences of the neutral filler."""

from __future__ import annotations

from steelyard.lab.edits.base import StructureEdit


class BulletList(StructureEdit):
    """What the filler says, as a list."""

    between = "\n"
    mark = "- "
