"""saturation: eight times the dose must not buy more than three times the response."""

from __future__ import annotations

import math

from steelyard.lab.protocol.gates.base import FAIL, MIN_RESPONSE, Gate, Statistic
from steelyard.lab.protocol.responses import Responses
from steelyard.lab.protocol.variants import LEVERS, MAX_DOSE

NO_GAIN = 0.0


class Saturation(Gate):
    """The largest ratio of the response at dose 8 to that at dose 1 over the three levers.

    A lever whose first dose costs points has no ratio. If eight doses gain nothing either, there is nothing to
    amplify, and the ratio is 0 for "no gain". If they do gain, amplification has no bound and the gate fails.
    """

    bound = 3.0
    unit = "ratio"
    question = "Do eight doses buy at most three times what one does?"

    def measure(self, responses: Responses) -> Statistic:
        parts: dict[str, float] = {}
        small, unbounded, without_gain = [], [], []
        ratios: list[float | None] = []
        for lever in LEVERS:
            first, last = responses.delta(lever, 1), responses.delta(lever, MAX_DOSE)
            if abs(first) < MIN_RESPONSE:
                small.append(f"{lever} {first:+.3f}")
                ratios.append(None)
            elif first < 0 < last:
                unbounded.append(f"{lever} costs {-first:.2f} at dose 1 and gains {last:.2f} at dose {MAX_DOSE}")
                ratios.append(math.inf)
            elif first < 0:
                parts[lever] = NO_GAIN
                without_gain.append(lever)
                ratios.append(NO_GAIN)
            else:
                parts[lever] = last / first
                ratios.append(last / first)
        candidates = tuple(ratios)
        if unbounded:
            return Statistic(None, parts, "; ".join(unbounded), without_value=FAIL, candidates=candidates)
        if parts and not self.passes(max(parts.values())):
            return Statistic(max(parts.values()), parts, candidates=candidates)
        if small:
            reason = f"too little for a ratio at dose 1: {', '.join(small)}"
            return Statistic(None, parts, reason, candidates=candidates)
        reason = f"no gain: {', '.join(without_gain)}" if without_gain else ""
        return Statistic(max(parts.values()), parts, reason, candidates=candidates)
