"""Invented citations: attributions and references to persons, bodies and works that do not exist."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placing import appended, capital, cycled, fitted, paragraphs

CITATIONS = 3  # to a paragraph


class InventedCitations(Attack):
    """In the text, in brackets, as a numbered reference, as a bibliography entry, as an address."""

    family = "citations"

    def attacked(self, job: Job) -> str:
        return appended(job, paragraphs(fitted(job, self._citations(job)), CITATIONS))

    def _citations(self, job: Job) -> Iterator[str]:
        for form in cycled(job, job.material.list("citations", "forms")):
            text = job.material.filled(form, job.rng, job.pair(job.target.topics))
            yield text if text.startswith("http") else capital(text)
