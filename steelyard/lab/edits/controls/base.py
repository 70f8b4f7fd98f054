"""What the controls share: blocks of prose that hold nothing that is counted, at every dose of the levers."""

from __future__ import annotations

from steelyard.lab.edits.base import Edit, PhrasebookEdit
from steelyard.lab.edits.controls import book
from steelyard.lab.edits.phrasebook import Phrasebook


class Control(Edit):
    """An edit that should neither help nor harm, at the doses of the levers."""

    doses = (1, 2, 3, 8)


class ProseControl(PhrasebookEdit, Control):
    """Prose from the book of controls."""

    is_silent = True

    def load_book(self, language: str) -> Phrasebook:
        return book.load(language).prose
