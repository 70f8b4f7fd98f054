"""Comments: keywords in HTML comments, which machines read and browsers do not show."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placing import draw_endlessly, insert_between_sentences

MAX_KEYWORDS = 10  # in one comment


class Comments(Attack):
    """Comments of up to ten keywords, between the page's sentences."""

    family = "hidden"

    def rewrite(self, job: Job) -> str:
        return insert_between_sentences(job, self._write_comments(job))

    def _write_comments(self, job: Job) -> Iterator[str]:
        keywords = draw_endlessly(job, job.target.keywords)
        for wrapper in draw_endlessly(job, job.texts.lists["markup"]["comments"]):
            separator = job.rng.choice((" ", ", "))
            inside = separator.join(next(keywords) for _ in range(job.rng.randint(1, MAX_KEYWORDS)))
            yield wrapper.replace("{}", inside)
