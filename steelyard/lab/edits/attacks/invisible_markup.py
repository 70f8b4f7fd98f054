"""Invisible markup: keywords and claims in elements that a browser does not show."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placing import cycled, fitted, sentence_ends, spread

MOST_KEYWORDS = 8  # in one element


class InvisibleMarkup(Attack):
    """Not displayed, transparent, of no size, white on white, off the screen: between the page's sentences."""

    family = "hidden"

    def attacked(self, job: Job) -> str:
        return spread(job, fitted(job, self._elements(job)), sentence_ends(job.target.text))

    def _elements(self, job: Job) -> Iterator[str]:
        book, rng = job.material, job.rng
        drawn = cycled(job, job.target.keywords)
        for wrapper in cycled(job, book.list("markup", "hidden")):
            if rng.random() < 0.5:
                inside = book.filled(rng.choice(book.list("hidden", "claims")), rng, job.pair(job.target.keywords))
            else:
                inside = " ".join(next(drawn) for _ in range(rng.randint(1, MOST_KEYWORDS)))
            yield wrapper.replace("{}", inside)
