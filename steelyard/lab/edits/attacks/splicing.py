"""Splicing: sentences of other pages between those of this one."""

from __future__ import annotations

from steelyard.lab.edits.attacks.base import Attack, Job, NoDonors
from steelyard.lab.edits.attacks.placement import find_sentence_ends, find_sentences, select_units, spread_pieces


class Splicing(Attack):
    """Whole sentences of the donors, none twice and none that the page already has."""

    family = "splicing"
    needs_donors = True

    def rewrite(self, job: Job) -> str:
        donated = self._list_donated(job)
        pieces = select_units(job, job.rng.sample(donated, len(donated)))
        added = sum(len(piece.split()) for piece in pieces)
        if added < job.min_words:
            raise NoDonors(self.name, added, job.min_words)
        return spread_pieces(job, pieces, find_sentence_ends(job.target.text))

    @staticmethod
    def _list_donated(job: Job) -> list[str]:
        own = set(find_sentences(job.target.text))
        return list(dict.fromkeys(s for donor in job.donors for s in find_sentences(donor) if s not in own))

    def find_fault(self, job: Job, text: str) -> str | None:
        """Require at least one whole sentence of a donor in the page."""
        is_spliced = any(sentence in text for sentence in self._list_donated(job))
        return None if is_spliced else "no whole sentence of a donor is in the page"
