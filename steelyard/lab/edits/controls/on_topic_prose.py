"""On-topic prose: plain sentences around the page's topic words, in which no component finds anything to count."""

from __future__ import annotations

from steelyard.lab.edits.controls.base import ProseControl


class OnTopicProse(ProseControl):
    """Sentences about the page's topics that say nothing that could be checked."""
