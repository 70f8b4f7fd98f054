"""Invented reviews: praise by readers who do not exist, with stars and names."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placing import append_blocks, draw_endlessly, select_units
from steelyard.lab.edits.phrasebook import capitalise

MAX_SENTENCES = 2  # sentences of a review


class InventedReviews(Attack):
    """A rating, one or two sentences of praise, a name; the layout is the same for all reviews of a page."""

    family = "reviews"

    def rewrite(self, job: Job) -> str:
        return append_blocks(job, select_units(job, self._write_reviews(job)))

    def _write_reviews(self, job: Job) -> Iterator[str]:
        reviews = job.texts.lists["reviews"]
        praise, ratings = (draw_endlessly(job, reviews[name]) for name in ("praise", "ratings"))
        layout = job.rng.choice(reviews["layouts"])
        while True:
            texts = [next(praise) for _ in range(job.rng.randint(1, MAX_SENTENCES))]
            said = " ".join(capitalise(job.fill(text, job.draw_pair(job.target.topics))) for text in texts)
            yield job.fill(layout).replace("{rating}", next(ratings)).replace("{text}", said)
