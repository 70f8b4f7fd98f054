"""What the controls share: blocks of prose that hold nothing that is counted, at every dose of the levers."""

from __future__ import annotations

import random

from steelyard.lab.edits.base import TRIES, Edit, Target
from steelyard.lab.edits.controls import book
from steelyard.lab.edits.topics import find_counted


class Control(Edit):
    """An edit that should neither help nor harm, at the doses of the levers."""

    doses = (1, 2, 3, 8)


class ProseControl(Control):
    """Prose from the book of controls, drawn again where the page's own words make it count."""

    def write_block(self, target: Target, rng: random.Random) -> str:
        return self.write_fresh_blocks(target, 1, rng)[0]

    def write_fresh_blocks(self, target: Target, dose: int, rng: random.Random) -> tuple[str, ...]:
        prose = book.load(target.language).prose
        for _ in range(TRIES):
            blocks = prose.write_blocks(self.name, dose, target.topics, rng)
            if not any(find_counted(block, target.language) for block in blocks):
                break
        return blocks
