"""Link injection: spam links among the page's sentences, in Markdown, bare and in HTML."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle

from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placing import fitted, sentence_ends, spread


class LinkInjection(Attack):
    """Anchors of the page's keywords and words of commerce, to domains under names that are reserved for examples."""

    family = "links"
    described = True

    def attacked(self, job: Job) -> str:
        return spread(job, fitted(job, self._links(job)), sentence_ends(job.target.text))

    def _links(self, job: Job) -> Iterator[str]:
        book, rng = job.material, job.rng
        for form in cycle(book.list("markup", "links")):
            anchor = book.filled(rng.choice(book.list("links", "anchors")), rng, job.pair(job.target.keywords))
            address = book.filled(rng.choice(book.list("markup", "addresses")), rng)
            host = rng.choice(book.list("markup", "hosts"))
            yield form.replace("{anchor}", anchor).replace("{address}", f"https://{host}/{address}")
