"""length-bias: the score of untouched pages must not follow their length."""

from __future__ import annotations

import math

from steelyard.lab.protocol.gates.base import Gate, Sample, Statistic
from steelyard.lab.protocol.variants import BASE
from steelyard.lab.stats.correlation import pearson


class LengthBias(Gate):
    """|r| between the points and the logarithm of the number of words."""

    bound = 0.35
    unit = "|r|"
    asks = "Is the score of untouched pages free of their length?"

    def statistic(self, sample: Sample) -> Statistic:
        r = pearson(sample.points[BASE.name], [math.log(words) for words in sample.words])
        if r is None:
            constant = "all pages have the same length" if len(set(sample.words)) == 1 else "all pages score the same"
            return Statistic(None, {}, f"there is no correlation: {constant}")
        return Statistic(abs(r), {"r": r})
