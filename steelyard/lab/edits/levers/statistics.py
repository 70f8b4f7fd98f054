"""Statistics Addition: six statistics, three of them in a sentence with a year."""

from __future__ import annotations

from steelyard.lab.edits.base import PhrasebookEdit


class Statistics(PhrasebookEdit):
    """Survey figures on the page's subject."""

    doses = (1, 2, 3, 8)
