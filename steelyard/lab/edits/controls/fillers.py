"""Prose that says nothing that is counted: what levers are compared with."""

from __future__ import annotations

from steelyard.lab.edits.base import PhrasebookEdit, StructureEdit
from steelyard.lab.edits.controls.base import ProseControl


class NeutralFiller(PhrasebookEdit):
    """As many words that say nothing; what every lever is compared with."""

    doses = (1, 2, 3, 8)
    is_silent = True


class FillerParagraph(StructureEdit):
    """The filler as a paragraph of its own, also in flattened text: a blank line alone moves some components."""

    phrases = "neutral_filler"


class OffTopicProse(ProseControl):
    """Sentences about everyday things that the page does not mention."""


class OnTopicProse(ProseControl):
    """Sentences about the page's topics that say nothing that could be checked."""
