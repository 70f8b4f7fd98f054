"""Cite Sources: three sentences that name where a claim comes from, one of them with its figure."""

from __future__ import annotations

from steelyard.lab.edits.base import PhrasebookEdit


class CiteSources(PhrasebookEdit):
    """Attributions and references in parentheses."""

    doses = (1, 2, 3, 8)
