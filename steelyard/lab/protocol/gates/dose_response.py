"""dose-response: more of a lever must not be punished, from dose 1 to 2 to 3."""

from __future__ import annotations

import itertools

from steelyard.lab.protocol.gates.base import Gate, Sample, Statistic
from steelyard.lab.protocol.variants import LEVERS

STEPS = (1, 2, 3)


class DoseResponse(Gate):
    """The worst step between consecutive doses over the three levers."""

    bound = -0.5
    upper = False
    asks = "Is more of a lever never punished?"

    def statistic(self, sample: Sample) -> Statistic:
        steps = {
            f"{lever} {before} to {after}": sample.delta(lever, after) - sample.delta(lever, before)
            for lever in LEVERS
            for before, after in itertools.pairwise(STEPS)
        }
        return Statistic(min(steps.values()), steps)
