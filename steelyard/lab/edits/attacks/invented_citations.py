"""Invented citations: attributions and references to persons, bodies and works that do not exist."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.lab.edits.attacks.base import Job
from steelyard.lab.edits.attacks.placement import AppendingAttack
from steelyard.lab.edits.phrasebook import capitalise


class InventedCitations(AppendingAttack):
    """In the text, in brackets, as a numbered reference, as a bibliography entry, as an address."""

    family = "citations"
    units_per_paragraph = 3

    def write_units(self, job: Job) -> Iterator[str]:
        for template in job.draw_texts("citations", "forms"):
            text = job.fill_with_topics(template)
            yield text if text.startswith("http") else capitalise(text)
