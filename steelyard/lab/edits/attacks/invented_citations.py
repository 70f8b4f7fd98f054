"""Invented citations: attributions and references to persons, bodies and works that do not exist."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placing import append_paragraphs, draw_endlessly
from steelyard.lab.edits.phrasebook import capitalise

CITATIONS = 3  # in a paragraph


class InventedCitations(Attack):
    """In the text, in brackets, as a numbered reference, as a bibliography entry, as an address."""

    family = "citations"

    def rewrite(self, job: Job) -> str:
        return append_paragraphs(job, self._write_citations(job), CITATIONS)

    def _write_citations(self, job: Job) -> Iterator[str]:
        for template in draw_endlessly(job, job.texts.lists["citations"]["forms"]):
            text = job.fill(template, job.draw_pair(job.target.topics))
            yield text if text.startswith("http") else capitalise(text)
