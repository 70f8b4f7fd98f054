"""Technical Terms: specialist vocabulary without a name, a figure or a source."""

from __future__ import annotations

from steelyard.lab.edits.base import PhrasebookEdit


class TechnicalTerms(PhrasebookEdit):
    """The page's subject in a specialist's words."""
