"""Planted instructions: orders to a language model that reads, rates or summarises the page."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.lab.edits.attacks.base import Job
from steelyard.lab.edits.attacks.placement import InsertingAttack


class PlantedInstructions(InsertingAttack):
    """Orders of many tones to many addressees, in the open and disguised, between the page's sentences."""

    family = "instructions"

    def write_units(self, job: Job) -> Iterator[str]:
        disguises = job.draw_texts("markup", "disguises")
        for order in job.draw_texts("instructions", "orders"):
            yield next(disguises).replace("{}", job.fill_with_topics(order))
