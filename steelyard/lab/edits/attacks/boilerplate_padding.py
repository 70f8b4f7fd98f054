"""Boilerplate padding: sentences that could be on any site and say nothing about this page's subject."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.lab.edits.attacks.base import Job
from steelyard.lab.edits.attacks.placement import AppendingAttack

STYLES = ("sales", "legal", "newsletter", "navigation")


class BoilerplatePadding(AppendingAttack):
    """Sales copy, legal and cookie notices, newsletter and social calls, navigation."""

    family = "padding"
    units_per_paragraph = 4

    def write_units(self, job: Job) -> Iterator[str]:
        templates = [text for style in STYLES for text in job.texts.lists["boilerplate"][style]]
        return map(job.fill, job.draw_endlessly(templates))
