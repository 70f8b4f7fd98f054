"""The five gates and how a verdict is reached. Nothing here knows the anchors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from steelyard.lab.protocol.gates.base import FAIL, MIN_SOURCES, PASS, UNDECIDED, UNDEFINED, Gate, Statistic
from steelyard.lab.protocol.gates.dose_response import DoseResponse
from steelyard.lab.protocol.gates.duplication import Duplication
from steelyard.lab.protocol.gates.length_bias import LengthBias
from steelyard.lab.protocol.gates.negative_control import NegativeControl
from steelyard.lab.protocol.gates.saturation import Saturation
from steelyard.lab.protocol.responses import Responses
from steelyard.lab.stats.intervals import Interval, interval_of_resamples
from steelyard.support.formatting import format_count

GATES: tuple[Gate, ...] = (NegativeControl(), DoseResponse(), Saturation(), Duplication(), LengthBias())
NAMES = tuple(gate.name for gate in GATES)
DRAWS = 1000
MAX_LOST = 0.05  # of the resamples may be without a figure
MAX_NEEDED = 1_000_000  # sources; more is no advice


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of one gate on one set of sources.

    Attributes:
        status: What can be said: a pass and a failure hold over the whole interval.
        by_estimate: Whether the figure alone passes, as the paper counts; None without a figure.
        needed: About how many sources would decide an undecided gate; None where no number would.
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
    """Judge a gate's figure by its interval: a bound inside of it leaves the gate undecided."""
    if figure.value is None:
        status = figure.without_value
        by_estimate = False if status == FAIL else None
        return Verdict(
            gate.name, status, None, bound, parts=figure.parts, reason=figure.reason, by_estimate=by_estimate
        )
    passes, margin = gate.passes(figure.value, bound), gate.margin(figure.value, bound)
    status, reason, needed = PASS if passes else FAIL, figure.reason, None
    interval = interval_of_resamples([sample.value for sample in resampled])
    lost = sum(sample.value is None for sample in resampled)
    if interval and any(gate.passes(end, bound) is not passes for end in interval):
        status, needed = UNDECIDED, estimate_sources(gate, figure.value, interval, sources, bound)
    elif lost > MAX_LOST * len(resampled):
        status, reason = UNDECIDED, f"without a figure in {lost / len(resampled):.0%} of the resamples"
    return Verdict(gate.name, status, figure.value, bound, margin, interval, figure.parts, reason, passes, needed)


def estimate_sources(gate: Gate, value: float, interval: Interval, sources: int, bound: float) -> int | None:
    """Return about how many sources would put the bound outside of the interval, if the figure stayed what it is.

    The width of an interval falls with the square root of the number of sources.
    """
    margin = abs(gate.margin(value, bound))
    reach = max(abs(end - value) for end in interval if gate.passes(end, bound) is not gate.passes(value, bound))
    needed = math.ceil(sources * (reach / margin) ** 2) if margin else None
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
