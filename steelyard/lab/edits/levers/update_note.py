"""Update note: the neutral filler with the day of the last update in its last sentence."""

from __future__ import annotations

from steelyard.lab.edits.base import PhrasebookEdit


class UpdateNote(PhrasebookEdit):
    """A labelled date of change and nothing else that counts."""
