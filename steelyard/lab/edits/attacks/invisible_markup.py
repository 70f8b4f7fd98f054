"""Invisible markup: keywords and claims in elements that a browser does not show."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.lab.edits.attacks.base import Job
from steelyard.lab.edits.attacks.placement import InsertingAttack

MAX_KEYWORDS = 8  # in one element


class InvisibleMarkup(InsertingAttack):
    """Not displayed, transparent, of no size, white on white, off the screen: between the page's sentences."""

    family = "hidden"

    def write_units(self, job: Job) -> Iterator[str]:
        lists, rng = job.texts.lists, job.rng
        keywords = job.draw_endlessly(job.target.keywords)
        for wrapper in job.draw_endlessly(lists["markup"]["hidden"]):
            if rng.random() < 0.5:
                inside = job.fill(rng.choice(lists["hidden"]["claims"]), job.draw_pair(job.target.keywords))
            else:
                inside = " ".join(next(keywords) for _ in range(rng.randint(1, MAX_KEYWORDS)))
            yield wrapper.replace("{}", inside)
