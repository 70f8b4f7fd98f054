"""Open instructions: orders to a language model that look like any other sentence of the page."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.lab.edits.attacks.base import Job
from steelyard.lab.edits.attacks.planted_instructions import PlantedInstructions


class OpenInstructions(PlantedInstructions):
    """The same orders without a disguise, so that no detector of disguises can find them."""

    def write_units(self, job: Job) -> Iterator[str]:
        return map(job.fill_with_topics, job.draw_texts("instructions", "orders"))
