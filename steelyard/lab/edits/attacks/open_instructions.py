"""Open instructions: orders to a language model that look like any other sentence of the page."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.lab.edits.attacks.base import Job
from steelyard.lab.edits.attacks.placing import draw_endlessly
from steelyard.lab.edits.attacks.planted_instructions import PlantedInstructions


class OpenInstructions(PlantedInstructions):
    """The same orders without a disguise, so that no detector of disguises can find them."""

    def _write_orders(self, job: Job) -> Iterator[str]:
        for order in draw_endlessly(job, job.texts.lists["instructions"]["orders"]):
            yield job.fill(order, job.draw_pair(job.target.topics))
