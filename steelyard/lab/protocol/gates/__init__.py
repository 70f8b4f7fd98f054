"""The five gates and how a verdict is reached. Nothing here knows the anchors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from steelyard.lab.protocol.gates.base import FAIL, MIN_SOURCES, PASS, UNDEFINED, Gate
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


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of one gate on one set of sources."""

    gate: str
    status: str
    statistic: float | None
    bound: float
    margin: float | None = None
    interval: Interval | None = None
    parts: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""


def judge(responses: Responses, *, draws: int = DRAWS, seed: int = 0) -> tuple[Verdict, ...]:
    """Return the verdicts of all five gates; `draws` = 0 leaves out the intervals."""
    if len(responses) < MIN_SOURCES:
        reason = f"{format_count(len(responses), 'source')}; a verdict needs {MIN_SOURCES} or more"
        return tuple(Verdict(gate.name, UNDEFINED, None, gate.bound, reason=reason) for gate in GATES)
    resampled = [[gate.measure(sample).value for gate in GATES] for sample in responses.resample(draws, seed)]
    verdicts = []
    for position, gate in enumerate(GATES):
        figure = gate.measure(responses)
        if figure.value is None:
            status, margin, interval = FAIL if figure.failed else UNDEFINED, None, None
        else:
            status, margin = PASS if gate.passes(figure.value) else FAIL, gate.margin(figure.value)
            interval = interval_of_resamples([values[position] for values in resampled])
        verdicts.append(
            Verdict(gate.name, status, figure.value, gate.bound, margin, interval, figure.parts, figure.reason)
        )
    return tuple(verdicts)


def count_passed(verdicts: Sequence[Verdict]) -> int:
    """Count the gates that passed; undefined is not a pass."""
    return sum(v.status == PASS for v in verdicts)


def all_passed(verdicts: Sequence[Verdict]) -> bool:
    return count_passed(verdicts) == len(GATES)


def record_verdicts(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Return the verdicts as they are written to artifacts."""
    return {"passed": count_passed(verdicts), **{v.gate: _record(v) for v in verdicts}}


def _record(verdict: Verdict) -> dict[str, Any]:
    record = asdict(verdict) | {"interval": list(verdict.interval) if verdict.interval else None}
    del record["gate"]
    return record
