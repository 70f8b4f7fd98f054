"""Matched blocks: a lever's block in one of several wordings, and the same block without its active ingredient."""

from __future__ import annotations

import random
from dataclasses import dataclass

from steelyard.lab.edits.base import Edit, Target
from steelyard.lab.edits.controls import book
from steelyard.lab.edits.controls.book import ACTIVE, INERT, TEMPLATES

LEVERS = ("quotation", "statistics", "cite_sources", "technical_terms")


@dataclass(frozen=True)
class MatchedBlock(Edit):
    """One wording of a lever, or of its control; both of a wording draw the same persons, bodies and figures."""

    lever: str
    template: int
    inert: bool

    @property
    def name(self) -> str:
        return f"{self.lever}_{'control' if self.inert else 'lever'}_{self.template + 1}"

    def write_block(self, target: Target, rng: random.Random) -> str:
        control = book.load(target.language)
        rng = random.Random(f"{self.lever}|{self.template}|{target.digest}")
        which = INERT if self.inert else ACTIVE
        text = " ".join(place[self.template][which] for place in control.pairs[self.lever])
        return control.prose.fill(text, target.topics, rng)


MATCHED: tuple[MatchedBlock, ...] = tuple(
    MatchedBlock(lever, template, inert) for lever in LEVERS for template in range(TEMPLATES) for inert in (False, True)
)
