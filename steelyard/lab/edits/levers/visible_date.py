"""Visible date: the neutral filler with the day of publication in its last sentence."""

from __future__ import annotations

from steelyard.lab.edits.base import PhrasebookEdit


class VisibleDate(PhrasebookEdit):
    """A labelled date and nothing else that counts."""
