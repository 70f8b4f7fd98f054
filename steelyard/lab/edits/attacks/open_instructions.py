"""Open instructions: orders to a language model that stand in the page like any other sentence."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.lab.edits.attacks.base import Job
from steelyard.lab.edits.attacks.placing import cycled
from steelyard.lab.edits.attacks.planted_instructions import PlantedInstructions


class OpenInstructions(PlantedInstructions):
    """The same orders without a disguise, which a detector of disguises would see instead."""

    def _orders(self, job: Job) -> Iterator[str]:
        for order in cycled(job, job.material.list("instructions", "orders")):
            yield job.material.filled(order, job.rng, job.pair(job.target.topics))
