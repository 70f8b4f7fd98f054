"""duplication: saying everything twice must not gain more than two points."""

from __future__ import annotations

from steelyard.lab.protocol.gates.base import Gate, Statistic
from steelyard.lab.protocol.responses import Responses
from steelyard.lab.protocol.variants import BASE, DUPLICATION, variant_name


class Duplication(Gate):
    """The mean gain of the doubled page over the page itself."""

    bound = 2.0
    question = "Does saying everything twice gain next to nothing?"

    def measure(self, responses: Responses) -> Statistic:
        gain = responses.mean(variant_name(DUPLICATION, 1)) - responses.mean(BASE.name)
        return Statistic(gain, candidates=(gain,))
