"""Stuffing and duplication together: the paper's strongest combination of degradations."""

from __future__ import annotations

from steelyard.lab.edits.attacks.base import HEAVY, Attack, Job
from steelyard.lab.edits.attacks.duplication import cut_beginning
from steelyard.lab.edits.attacks.placement import append_blocks
from steelyard.lab.edits.attacks.stuffing import write_keyword_block


class StuffingAndDuplication(Attack):
    """Light is half a share of each; heavy is the whole page again and a whole share of keywords."""

    family = "combined"

    def rewrite(self, job: Job) -> str:
        text, half = job.target.text, job.wanted_words // 2
        if job.strength == HEAVY:
            return append_blocks(job, [text, write_keyword_block(job, job.wanted_words)])
        return append_blocks(job, [cut_beginning(text, half), write_keyword_block(job, job.wanted_words - half)])
