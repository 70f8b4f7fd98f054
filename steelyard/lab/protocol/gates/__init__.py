"""The five gates, and how a verdict is reached. Nothing here knows the anchors."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from steelyard.lab.protocol.gates.base import FAIL, FEWEST_SOURCES, PASS, UNDEFINED, Gate
from steelyard.lab.protocol.gates.dose_response import DoseResponse
from steelyard.lab.protocol.gates.duplication import Duplication
from steelyard.lab.protocol.gates.length_bias import LengthBias
from steelyard.lab.protocol.gates.negative_control import NegativeControl
from steelyard.lab.protocol.gates.saturation import Saturation
from steelyard.lab.protocol.responses import Responses
from steelyard.lab.stats.bootstrap import Interval, interval, resamples
from steelyard.support.wording import counted

GATES: tuple[Gate, ...] = (NegativeControl(), DoseResponse(), Saturation(), Duplication(), LengthBias())
NAMES = tuple(gate.name for gate in GATES)
DRAWS = 1000


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one gate came out on one set of sources."""

    gate: str
    status: str
    statistic: float | None
    bound: float
    margin: float | None
    interval: Interval | None
    parts: Mapping[str, float]
    reason: str = ""


def judge(responses: Responses, *, draws: int = DRAWS, seed: int = 0) -> tuple[Verdict, ...]:
    """All five verdicts; with `draws` = 0 without intervals."""
    if len(responses) < FEWEST_SOURCES:
        reason = f"{counted(len(responses), 'source')}; a verdict needs {FEWEST_SOURCES} or more"
        return tuple(Verdict(g.name, UNDEFINED, None, g.bound, None, None, {}, reason) for g in GATES)
    samples = responses.drawn(resamples(len(responses), draws, random.Random(seed))) if draws else []
    verdicts = []
    for gate in GATES:
        found = gate.statistic(responses)
        if found.value is None:
            status = FAIL if found.failed else UNDEFINED
            verdicts.append(Verdict(gate.name, status, None, gate.bound, None, None, found.parts, found.reason))
            continue
        values = [v for s in samples if (v := gate.statistic(s).value) is not None]
        spread = Interval(*interval(values), 1 - len(values) / draws) if values else None
        status = PASS if gate.passes(found.value) else FAIL
        margin = gate.margin(found.value)
        verdicts.append(Verdict(gate.name, status, found.value, gate.bound, margin, spread, found.parts, found.reason))
    return tuple(verdicts)


def passed(verdicts: tuple[Verdict, ...]) -> int:
    """How many of the gates passed; undefined is not a pass."""
    return sum(v.status == PASS for v in verdicts)


def survives(verdicts: tuple[Verdict, ...]) -> bool:
    return passed(verdicts) == len(GATES)
