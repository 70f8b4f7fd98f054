"""Quotation Addition: three attributed quotations."""

from __future__ import annotations

from steelyard.lab.edits.base import PhrasebookEdit


class Quotation(PhrasebookEdit):
    """What people said of the page's subject, in quotation marks and with their names."""

    doses = (1, 2, 3, 8)
