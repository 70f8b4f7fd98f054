"""saturation: eight times the dose must not buy more than three times the response."""

from __future__ import annotations

from steelyard.lab.protocol.gates.base import Gate, Sample, Statistic
from steelyard.lab.protocol.variants import LEVERS, MOST

SMALLEST = 0.05  # points: below it a ratio says nothing
NO_GAIN = 0.0


class Saturation(Gate):
    """The largest ratio of the response at dose 8 to that at dose 1 over the three levers.

    A lever whose first dose costs points has no ratio. When eight doses gain nothing either there is nothing to
    amplify, and 0 stands for "no gain"; when they do gain, amplification is without bound and the gate fails.
    """

    bound = 3.0
    unit = "ratio"
    asks = "Do eight doses buy at most three times what one does?"

    def statistic(self, sample: Sample) -> Statistic:
        parts: dict[str, float] = {}
        small, unbounded, none = [], [], []
        for lever in LEVERS:
            one, most = sample.delta(lever, 1), sample.delta(lever, MOST)
            if abs(one) < SMALLEST:
                small.append(f"{lever} moves the score by {one:+.3f} at dose 1, too little for a ratio")
            elif one < 0 < most:
                unbounded.append(f"{lever} costs {-one:.2f} at dose 1 and gains {most:.2f} at dose {MOST}")
            else:
                parts[lever] = most / one if one > 0 else NO_GAIN
                none += [lever] if one < 0 else []
        if unbounded:
            return Statistic(None, parts, "; ".join(unbounded), failed=True)
        if parts and not self.passes(max(parts.values())):
            return Statistic(max(parts.values()), parts)
        if small:
            return Statistic(None, parts, "; ".join(small))
        return Statistic(max(parts.values()), parts, f"no gain: {', '.join(none)}" if none else "")
