"""Planted instructions: orders to a language model that reads, rates or summarises the page."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placing import cycled, fitted, sentence_ends, spread


class PlantedInstructions(Attack):
    """Orders of many tones to many addressees, in the open and disguised, between the page's sentences."""

    family = "instructions"

    def attacked(self, job: Job) -> str:
        return spread(job, fitted(job, self._orders(job)), sentence_ends(job.target.text))

    def _orders(self, job: Job) -> Iterator[str]:
        book = job.material
        disguises = cycled(job, book.list("markup", "disguises"))
        for order in cycled(job, book.list("instructions", "orders")):
            yield next(disguises).replace("{}", book.filled(order, job.rng, job.pair(job.target.topics)))
