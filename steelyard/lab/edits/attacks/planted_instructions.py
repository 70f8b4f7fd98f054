"""Planted instructions: orders to a language model that reads, rates or summarises the page."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placing import draw_endlessly, insert_between_sentences


class PlantedInstructions(Attack):
    """Orders of many tones to many addressees, in the open and disguised, between the page's sentences."""

    family = "instructions"

    def rewrite(self, job: Job) -> str:
        return insert_between_sentences(job, self._write_orders(job))

    def _write_orders(self, job: Job) -> Iterator[str]:
        disguises = draw_endlessly(job, job.texts.lists["markup"]["disguises"])
        for order in draw_endlessly(job, job.texts.lists["instructions"]["orders"]):
            yield next(disguises).replace("{}", job.fill(order, job.draw_pair(job.target.topics)))
