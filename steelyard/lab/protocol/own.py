"""Our own scorer through the gates: falsify, and what only its weights can tell."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from steelyard.components import NAMES
from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.corpus.corpus import TEST
from steelyard.lab.protocol.capture import Capture
from steelyard.lab.protocol.falsify import judged
from steelyard.lab.protocol.gain import ceilings, combined, long_sources
from steelyard.lab.protocol.gates import DRAWS
from steelyard.lab.protocol.gates.base import FEWEST_SOURCES
from steelyard.lab.protocol.readings import NotOurs
from steelyard.lab.protocol.variants import BASE, INTERVENTIONS
from steelyard.lab.scorers.base import POINTS
from steelyard.scoring.page import contributions
from steelyard.scoring.transform import g
from steelyard.scoring.weighting import Weighting

NAMES_SET = frozenset(NAMES)


def own(taken: Capture, chosen: Weighting, *, draws: int = DRAWS, seed: int = 0) -> dict[str, Any]:
    """The gates on `content` under a weighting, with the analytic ceilings and the combined gain."""
    content = Capture(
        taken.header, tuple(_weighted(row, chosen.weights, str(taken.header.parameters["name"])) for row in taken.rows)
    )
    found = judged(content, draws=draws, seed=seed)
    responses = content.responses()
    long = long_sources(responses)
    held_out = content.responses(split=TEST)
    order = [{"edit": e, "response": held_out.delta(e, 1)} for e in INTERVENTIONS] if len(held_out) else []
    enough = len(long) >= FEWEST_SOURCES
    return {
        **found.record(),
        "scorer": chosen.name,
        "weights": dict(chosen.weights),
        "ceilings": ceilings(_base_means(taken, long.sources), chosen.weights) if enough else {},
        "combined": combined(long) if enough else [],
        "order": sorted(order, key=lambda o: -o["response"]),
    }


def _weighted(row: dict[str, Any], weights: Mapping[str, float], scorer: str) -> dict[str, Any]:
    if "values" not in row:
        return row
    if not row["values"].keys() >= NAMES_SET:
        raise NotOurs(scorer)
    points = min(100.0, math.fsum(contributions(row["values"], weights).values()))
    return {**row, "values": {**row["values"], POINTS: points}}


def _base_means(taken: Capture, sources: tuple[str, ...]) -> dict[str, float]:
    """Mean g(f_i) over the untouched sources."""
    values = taken.values()
    return {name: mean([g(values[s][BASE.name][name]) for s in sources]) for name in NAMES}
