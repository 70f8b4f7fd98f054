"""The five gates and how a verdict is reached. Nothing here knows the anchors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import NormalDist
from typing import Any

from steelyard.lab.protocol.gates.base import FAIL, MIN_SOURCES, PASS, UNDECIDED, UNDEFINED, Gate, Statistic
from steelyard.lab.protocol.gates.dose_response import DoseResponse
from steelyard.lab.protocol.gates.duplication import Duplication
from steelyard.lab.protocol.gates.length_bias import LengthBias
from steelyard.lab.protocol.gates.negative_control import NegativeControl
from steelyard.lab.protocol.gates.saturation import Saturation
from steelyard.lab.protocol.responses import Responses
from steelyard.lab.stats.intervals import Interval, interval_of_worst
from steelyard.support.formatting import format_count

GATES: tuple[Gate, ...] = (NegativeControl(), DoseResponse(), Saturation(), Duplication(), LengthBias())
NAMES = tuple(gate.name for gate in GATES)
DRAWS = 1000
MAX_LOST = 0.05  # of the resamples may be without a figure
MAX_NEEDED = 1_000_000  # sources; more is no advice
POWER = 0.8  # chance that the number of sources we name decides the gate, if the figure is the true one


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of one gate on one set of sources.

    Attributes:
        status: What can be said: a pass and a failure hold over the whole interval.
        by_estimate: Whether the figure alone passes, as the paper counts; None without a figure.
        needed: About how many sources would decide an undecided gate in four of five samples; None where no number
            would, and where the interval is not known.
    """

    gate: str
    status: str
    statistic: float | None
    bound: float
    margin: float | None = None
    interval: Interval | None = None
    parts: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""
    by_estimate: bool | None = None
    needed: int | None = None


def judge(
    responses: Responses, *, draws: int = DRAWS, seed: int = 0, bounds: Mapping[str, float] | None = None
) -> tuple[Verdict, ...]:
    """Return the verdicts of all five gates; `draws` = 0 leaves out the intervals, and judges by the figures alone.

    `bounds` holds other bounds than a gate's own, by name.
    """
    others = bounds or {}
    if len(responses) < MIN_SOURCES:
        reason = f"{format_count(len(responses), 'source')}; a verdict needs {MIN_SOURCES} or more"
        return tuple(
            Verdict(gate.name, UNDEFINED, None, others.get(gate.name, gate.bound), reason=reason) for gate in GATES
        )
    resampled = [[gate.measure(sample) for gate in GATES] for sample in responses.resample(draws, seed)]
    return tuple(
        _judge(
            gate,
            gate.measure(responses),
            [figures[position] for figures in resampled],
            len(responses),
            others.get(gate.name, gate.bound),
        )
        for position, gate in enumerate(GATES)
    )


def _judge(gate: Gate, figure: Statistic, resampled: Sequence[Statistic], sources: int, bound: float) -> Verdict:
    """Judge a gate's figure by its interval: undecided if one part of it passes and another fails."""
    if figure.value is None and figure.without_value != FAIL:
        return Verdict(gate.name, figure.without_value, None, bound, parts=figure.parts, reason=figure.reason)
    value = figure.value
    passes = value is not None and gate.passes(value, bound)
    status, reason, needed = PASS if passes else FAIL, figure.reason, None
    known = [sample.candidates for sample in resampled if sample.value is not None or sample.without_value == FAIL]
    lost = 1 - len(known) / len(resampled) if resampled else 0.0
    interval = interval_of_worst(known, largest=gate.is_upper_bound)
    if interval:
        interval = max(interval[0], gate.least), interval[1]
    if interval and any(gate.passes(end, bound) is not passes for end in interval):
        status = UNDECIDED
        if value is not None and all(map(math.isfinite, interval)):
            needed = estimate_sources(gate, value, interval, sources, bound)
        else:
            reason = "; ".join(filter(None, [reason, "the interval has no bound"]))
    elif lost > MAX_LOST:
        status = UNDECIDED
        reason = "; ".join(filter(None, [reason, f"without a figure in {lost:.0%} of the resamples"]))
    shown = interval if interval and value is not None and all(map(math.isfinite, interval)) else None
    margin = None if value is None else gate.margin(value, bound)
    return Verdict(gate.name, status, value, bound, margin, shown, figure.parts, reason, passes, needed)


def estimate_sources(
    gate: Gate, value: float, interval: Interval, sources: int, bound: float | None = None
) -> int | None:
    """Return about how many sources would put the bound outside of the interval, if the figure is the true one.

    The width of an interval falls with the square root of the number of sources. An interval that reaches just to the
    bound would decide only in every second sample, since its middle moves too: it has to be smaller by so much that
    it decides in four of five.
    """
    margin = abs(gate.margin(value, bound))
    reach = max(abs(end - value) for end in interval if gate.passes(end, bound) is not gate.passes(value, bound))
    normal = NormalDist()
    slack = 1 + normal.inv_cdf(POWER) / normal.inv_cdf(0.975)
    needed = math.ceil(sources * (slack * reach / margin) ** 2) if margin else None
    return needed if needed is not None and needed <= MAX_NEEDED else None


def count_passed(verdicts: Sequence[Verdict]) -> int:
    """Count the gates that passed; undecided and undefined are no pass."""
    return sum(v.status == PASS for v in verdicts)


def count_by_estimate(verdicts: Sequence[Verdict]) -> int:
    """Count the gates whose figure passes, whatever its interval: the paper's rule."""
    return sum(v.by_estimate is True for v in verdicts)


def all_passed(verdicts: Sequence[Verdict]) -> bool:
    return count_passed(verdicts) == len(GATES)


def record_verdicts(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Return the verdicts as they are written to artifacts."""
    counts = {"passed": count_passed(verdicts), "passed_by_estimate": count_by_estimate(verdicts)}
    return {**counts, **{v.gate: _record(v) for v in verdicts}}


def _record(verdict: Verdict) -> dict[str, Any]:
    record = asdict(verdict) | {"interval": list(verdict.interval) if verdict.interval else None}
    del record["gate"]
    return record
