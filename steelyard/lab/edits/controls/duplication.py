"""Duplication: the whole page once more."""

from __future__ import annotations

import random

from steelyard.lab.edits.base import Edit, Target


class Duplication(Edit):
    """The block is the page itself."""

    def write_block(self, target: Target, rng: random.Random) -> str:
        return target.text
