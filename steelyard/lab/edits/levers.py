"""Edits that may help: those with a published effect, and those of structure and freshness, which have none.

What each writes is in its language's `edits/blocks.toml`, under its name.
"""

from __future__ import annotations

from steelyard.lab.edits.base import PhrasebookEdit, StructureEdit


class Quotation(PhrasebookEdit):
    """Three attributed quotations."""

    doses = (1, 2, 3, 8)


class Statistics(PhrasebookEdit):
    """Six statistics, three of them in a sentence with a year."""

    doses = (1, 2, 3, 8)


class CiteSources(PhrasebookEdit):
    """Three sentences that name where a claim comes from, one of them with its figure."""

    doses = (1, 2, 3, 8)


class TechnicalTerms(PhrasebookEdit):
    """Specialist vocabulary without a name, a figure or a source."""


class SubHeadings(StructureEdit):
    """Three headings, each over one plain sentence."""

    between = "\n\n"


class BulletList(StructureEdit):
    """Three items, the sentences of the neutral filler."""

    between = "\n"
    mark = "- "


class Table(StructureEdit):
    """A head and three rows, one for each topic."""

    between = "\n"


class SummaryFirst(StructureEdit):
    """A paragraph before the page that says what it is about."""

    leads = True


class VisibleDate(PhrasebookEdit):
    """The neutral filler with the day of publication in its last sentence."""


class UpdateNote(PhrasebookEdit):
    """The neutral filler with the day of the last update in its last sentence."""
