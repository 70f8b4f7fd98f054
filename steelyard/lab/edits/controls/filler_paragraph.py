"""Filler paragraph: neutral filler after a blank line; what structure is compared with."""

from __future__ import annotations

from steelyard.lab.edits.base import StructureEdit


class FillerParagraph(StructureEdit):
    """The filler as a paragraph of its own, also in flattened text: a blank line alone moves some components."""

    phrases = "neutral_filler"
