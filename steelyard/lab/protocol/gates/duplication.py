"""duplication: saying everything twice must not gain more than two points."""

from __future__ import annotations

from steelyard.lab.protocol.gates.base import Gate, Sample, Statistic
from steelyard.lab.protocol.variants import BASE, DUPLICATION, named


class Duplication(Gate):
    """The mean gain of the doubled page over the page itself."""

    bound = 2.0
    asks = "Does saying everything twice gain next to nothing?"

    def statistic(self, sample: Sample) -> Statistic:
        return Statistic(sample.mean(named(DUPLICATION, 1)) - sample.mean(BASE.name))
