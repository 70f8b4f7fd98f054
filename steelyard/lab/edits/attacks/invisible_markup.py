"""Invisible markup: keywords and claims in elements that a browser does not show."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placing import draw_endlessly, insert_between_sentences

MAX_KEYWORDS = 8  # in one element


class InvisibleMarkup(Attack):
    """Not displayed, transparent, of no size, white on white, off the screen: between the page's sentences."""

    family = "hidden"

    def rewrite(self, job: Job) -> str:
        return insert_between_sentences(job, self._write_elements(job))

    def _write_elements(self, job: Job) -> Iterator[str]:
        lists, rng = job.texts.lists, job.rng
        keywords = draw_endlessly(job, job.target.keywords)
        for wrapper in draw_endlessly(job, lists["markup"]["hidden"]):
            if rng.random() < 0.5:
                inside = job.fill(rng.choice(lists["hidden"]["claims"]), job.draw_pair(job.target.keywords))
            else:
                inside = " ".join(next(keywords) for _ in range(rng.randint(1, MAX_KEYWORDS)))
            yield wrapper.replace("{}", inside)
