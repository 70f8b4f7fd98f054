"""dose-response: more of a lever must not be punished, from dose 1 to 2 to 3."""

from __future__ import annotations

import itertools

from steelyard.lab.protocol.gates.base import MIN_RESPONSE, UNDECIDED, Gate, Statistic
from steelyard.lab.protocol.responses import Responses
from steelyard.lab.protocol.variants import LEVERS

STEPS = (1, 2, 3)


class DoseResponse(Gate):
    """The worst step between consecutive doses over the three levers."""

    bound = -0.5
    is_upper_bound = False
    question = "Is more of a lever never punished?"

    def measure(self, responses: Responses) -> Statistic:
        steps = {
            f"{lever} {before} to {after}": responses.delta(lever, after) - responses.delta(lever, before)
            for lever in LEVERS
            for before, after in itertools.pairwise(STEPS)
        }
        largest = max(abs(responses.delta(lever, dose)) for lever in LEVERS for dose in STEPS)
        if largest < MIN_RESPONSE:
            extent = f" by more than {largest:.3f} points" if round(largest, 3) else ""
            reason = f"no lever moves the score{extent} at any dose: nothing responds"
            return Statistic(None, steps, reason, without_value=UNDECIDED)
        return Statistic(min(steps.values()), steps, candidates=tuple(steps.values()))
