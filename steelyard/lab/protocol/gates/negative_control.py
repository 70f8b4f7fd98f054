"""negative-control: stuffing the page with its own keywords must not pay, at dose 1 and at dose 8."""

from __future__ import annotations

from steelyard.lab.protocol.gates.base import Gate, Statistic
from steelyard.lab.protocol.responses import Responses
from steelyard.lab.protocol.variants import MAX_DOSE, STUFFING


class NegativeControl(Gate):
    """The larger of the two responses to keyword stuffing."""

    bound = 0.0
    question = "Does stuffing keywords stay without reward?"

    def measure(self, responses: Responses) -> Statistic:
        parts = {f"dose {dose}": responses.delta(STUFFING, dose) for dose in (1, MAX_DOSE)}
        return Statistic(max(parts.values()), parts, candidates=tuple(parts.values()))
