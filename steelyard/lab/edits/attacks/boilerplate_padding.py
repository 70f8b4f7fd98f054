"""Boilerplate padding: sentences that could be on any site and say nothing about this page's subject."""

from __future__ import annotations

from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placing import append_paragraphs, draw_endlessly

STYLES = ("sales", "legal", "newsletter", "navigation")
SENTENCES = 4  # in a paragraph


class BoilerplatePadding(Attack):
    """Sales copy, legal and cookie notices, newsletter and social calls, navigation."""

    family = "padding"

    def rewrite(self, job: Job) -> str:
        templates = [text for style in STYLES for text in job.texts.lists["boilerplate"][style]]
        return append_paragraphs(job, map(job.fill, draw_endlessly(job, templates)), SENTENCES)
