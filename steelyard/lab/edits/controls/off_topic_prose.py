"""Off-topic prose: plain sentences about something else, in which no component finds anything to count."""

from __future__ import annotations

from steelyard.lab.edits.controls.base import ProseControl


class OffTopicProse(ProseControl):
    """Sentences about everyday things that the page does not mention."""
