"""Invented reviews: praise by readers who do not exist, with stars and names."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.lab.edits.attacks.base import Job
from steelyard.lab.edits.attacks.placement import AppendingAttack
from steelyard.lab.edits.phrasebook import capitalise

MAX_SENTENCES = 2  # sentences of a review


class InventedReviews(AppendingAttack):
    """A rating, one or two sentences of praise, a name; the layout is the same for all reviews of a page."""

    family = "reviews"

    def write_units(self, job: Job) -> Iterator[str]:
        reviews = job.texts.lists["reviews"]
        praise, ratings = (job.draw_endlessly(reviews[name]) for name in ("praise", "ratings"))
        layout = job.rng.choice(reviews["layouts"])
        while True:
            texts = [next(praise) for _ in range(job.rng.randint(1, MAX_SENTENCES))]
            praises = " ".join(capitalise(job.fill_with_topics(text)) for text in texts)
            yield job.fill(layout).replace("{rating}", next(ratings)).replace("{text}", praises)
