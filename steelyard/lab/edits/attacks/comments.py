"""Comments: keywords in HTML comments, which machines read and browsers do not show."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.lab.edits.attacks.base import Job
from steelyard.lab.edits.attacks.placement import InsertingAttack

MAX_KEYWORDS = 10  # in one comment


class Comments(InsertingAttack):
    """Comments of up to ten keywords, between the page's sentences."""

    family = "hidden"

    def write_units(self, job: Job) -> Iterator[str]:
        keywords = job.draw_endlessly(job.target.keywords)
        for wrapper in job.draw_texts("markup", "comments"):
            separator = job.rng.choice((" ", ", "))
            inside = separator.join(next(keywords) for _ in range(job.rng.randint(1, MAX_KEYWORDS)))
            yield wrapper.replace("{}", inside)
