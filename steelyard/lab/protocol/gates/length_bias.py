"""length-bias: the score of untouched pages must not follow their length."""

from __future__ import annotations

import math

from steelyard.lab.protocol.gates.base import Gate, Statistic
from steelyard.lab.protocol.responses import Responses
from steelyard.lab.protocol.variants import BASE
from steelyard.lab.stats.correlation import pearson


class LengthBias(Gate):
    """|r| between the points and the logarithm of the number of words."""

    bound = 0.35
    least = 0.0
    unit = "|r|"
    question = "Is the score of untouched pages free of their length?"

    def measure(self, responses: Responses) -> Statistic:
        r = pearson(responses.points[BASE.name], [math.log(words) for words in responses.words])
        if r is None:
            same_length = len(set(responses.words)) == 1
            constant = "all pages have the same length" if same_length else "all pages score the same"
            return Statistic(None, {}, f"there is no correlation: {constant}")
        return Statistic(abs(r), {"r": r}, candidates=(r, -r))
