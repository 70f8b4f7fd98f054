"""Splicing: sentences of other pages between those of this one."""

from __future__ import annotations

from steelyard.lab.edits.attacks.base import Attack, Job, NoDonors
from steelyard.lab.edits.attacks.placing import fitted, sentence_ends, sentences, spread


class Splicing(Attack):
    """Whole sentences of the donors, none twice and none that the page has already."""

    family = "splicing"
    needs_donors = True

    def attacked(self, job: Job) -> str:
        pool = self._pool(job)
        pieces = fitted(job, job.rng.sample(pool, len(pool)))
        added = sum(len(piece.split()) for piece in pieces)
        if added < job.least:
            raise NoDonors(self.name, added, job.least)
        return spread(job, pieces, sentence_ends(job.target.text))

    @staticmethod
    def _pool(job: Job) -> list[str]:
        own = set(sentences(job.target.text))
        return list(dict.fromkeys(s for donor in job.donors for s in sentences(donor) if s not in own))

    def broken(self, job: Job, text: str) -> str | None:
        """At least one sentence of a donor stands whole in the page."""
        held = any(sentence in text for sentence in self._pool(job))
        return None if held else "no whole sentence of a donor is in the page"
