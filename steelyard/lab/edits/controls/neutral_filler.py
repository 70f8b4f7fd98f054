"""Neutral filler: as many words that say nothing; what every lever is compared with."""

from __future__ import annotations

from steelyard.lab.edits.base import PhrasebookEdit


class NeutralFiller(PhrasebookEdit):
    """Plain sentences in which no component finds anything to count."""

    doses = (1, 2, 3, 8)
    is_silent = True
