"""Stuffing and duplication together: the paper's strongest combination of degradations."""

from __future__ import annotations

from steelyard.lab.edits.attacks.base import HEAVY, Attack, Job
from steelyard.lab.edits.attacks.duplication import beginning
from steelyard.lab.edits.attacks.placing import appended
from steelyard.lab.edits.attacks.stuffing import keyword_block


class StuffingAndDuplication(Attack):
    """Light is half a share of each; heavy is the whole page again and a whole share of keywords."""

    family = "combined"
    described = True
    seeded = False

    def attacked(self, job: Job) -> str:
        text, half = job.target.text, job.aim // 2
        if job.strength == HEAVY:
            return appended(job, [text, keyword_block(job, job.aim)])
        return appended(job, [beginning(text, half), keyword_block(job, job.aim - half)])
