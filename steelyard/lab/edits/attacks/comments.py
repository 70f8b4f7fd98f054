"""Comments: keywords in HTML comments, which machines read and browsers do not show."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placing import cycled, fitted, sentence_ends, spread

MOST_KEYWORDS = 10  # in one comment


class Comments(Attack):
    """Comments of up to ten keywords, between the page's sentences."""

    family = "hidden"

    def attacked(self, job: Job) -> str:
        return spread(job, fitted(job, self._comments(job)), sentence_ends(job.target.text))

    def _comments(self, job: Job) -> Iterator[str]:
        drawn = cycled(job, job.target.keywords)
        for wrapper in cycled(job, job.material.list("markup", "comments")):
            separator = job.rng.choice((" ", ", "))
            inside = separator.join(next(drawn) for _ in range(job.rng.randint(1, MOST_KEYWORDS)))
            yield wrapper.replace("{}", inside)
