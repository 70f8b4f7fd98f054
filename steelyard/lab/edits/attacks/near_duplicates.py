"""Near-duplicates: passages of the page once more, with small changes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from steelyard.lab.edits.attacks.base import Job
from steelyard.lab.edits.attacks.paraphrase import split_page, swap_synonyms
from steelyard.lab.edits.attacks.placement import AppendingAttack

MAX_SENTENCES = 4  # sentences of a passage
SWAPPED = 0.4  # how often a word that has a synonym is replaced
_NUMBER = re.compile(r"\d+")


class NearDuplicates(AppendingAttack):
    """Some synonyms, other numbers, and the sentences of a passage in another order."""

    family = "near-duplicates"

    def write_units(self, job: Job) -> Iterator[str]:
        """Take passages from a random place to the end of the page and round again."""
        sentences = split_page(job)
        at = job.rng.randrange(len(sentences))
        while True:
            size = job.rng.randint(1, MAX_SENTENCES)
            passage = [self._change(sentences[(at + i) % len(sentences)], job) for i in range(size)]
            job.rng.shuffle(passage)
            yield " ".join(passage)
            at += size

    @staticmethod
    def _change(sentence: str, job: Job) -> str:
        """Swap synonyms and change every number by a little, keeping the number of its digits."""

        def change(match: re.Match[str]) -> str:
            digits = match[0]
            return digits[:-1] + str((int(digits[-1]) + job.rng.randint(1, 9)) % 10)

        return _NUMBER.sub(change, swap_synonyms(sentence, job, SWAPPED))
