"""Link injection: spam links among the page's sentences, in Markdown, bare and in HTML."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle

from steelyard.lab.edits.attacks.base import Job
from steelyard.lab.edits.attacks.placement import InsertingAttack


class LinkInjection(InsertingAttack):
    """Anchors of the page's keywords and words of commerce, to domains under names that are reserved for examples."""

    family = "links"

    def write_units(self, job: Job) -> Iterator[str]:
        markup, anchors, rng = job.texts.lists["markup"], job.texts.lists["links"]["anchors"], job.rng
        for template in cycle(markup["links"]):
            anchor = job.fill(rng.choice(anchors), job.draw_pair(job.target.keywords))
            address = job.fill(rng.choice(markup["addresses"]))
            host = rng.choice(markup["hosts"])
            yield template.replace("{anchor}", anchor).replace("{address}", f"https://{host}/{address}")
