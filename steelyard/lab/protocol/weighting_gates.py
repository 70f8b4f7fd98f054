"""Our own scorer under a weighting: the gates, and the figures that need its weights."""

from __future__ import annotations

import math
from typing import Any

from steelyard.components import NAMES
from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.corpus.corpus import TEST
from steelyard.lab.protocol.capture import Capture
from steelyard.lab.protocol.component_values import require_component_values
from steelyard.lab.protocol.falsify import judge_capture
from steelyard.lab.protocol.gates import DRAWS
from steelyard.lab.protocol.gates.base import FEWEST_SOURCES
from steelyard.lab.protocol.lever_gains import compute_ceilings, measure_combined, select_long_sources
from steelyard.lab.protocol.variants import BASE, INTERVENTIONS
from steelyard.lab.scorers.base import POINTS
from steelyard.scoring.page import contributions
from steelyard.scoring.transform import transform
from steelyard.scoring.weighting import Weighting


def judge_weighting(capture: Capture, weighting: Weighting, *, draws: int = DRAWS, seed: int = 0) -> dict[str, Any]:
    """Judge `content` under a weighting, with the analytic ceilings and the combined gain.

    Raises:
        SteelyardError: The capture is of another scorer.
    """
    require_component_values(capture)
    content = Capture(capture.header, tuple(_set_points(row, weighting) for row in capture.rows))
    long = select_long_sources(content.responses())
    held_out = content.responses(split=TEST)
    order = [{"edit": e, "response": held_out.delta(e, 1)} for e in INTERVENTIONS] if len(held_out) else []
    enough = len(long) >= FEWEST_SOURCES
    return {
        **judge_capture(content, draws=draws, seed=seed).record(),
        "scorer": weighting.name,
        "weights": dict(weighting.weights),
        "ceilings": compute_ceilings(_base_means(capture, long.sources), weighting.weights) if enough else {},
        "combined": measure_combined(long) if enough else [],
        "order": sorted(order, key=lambda o: -o["response"]),
    }


def _set_points(row: dict[str, Any], weighting: Weighting) -> dict[str, Any]:
    if "values" not in row:
        return row
    points = min(100.0, math.fsum(contributions(row["values"], weighting.weights).values()))
    return {**row, "values": {**row["values"], POINTS: points}}


def _base_means(capture: Capture, sources: tuple[str, ...]) -> dict[str, float]:
    """Return mean g(f_i) over the untouched sources."""
    values = capture.values()
    return {name: mean([transform(values[s][BASE.name][name]) for s in sources]) for name in NAMES}
