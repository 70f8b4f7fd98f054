"""Dose curves: the response to every lever at every dose, with its interval."""

from __future__ import annotations

import random
from typing import Any

from steelyard.lab.protocol.gates import DRAWS
from steelyard.lab.protocol.responses import Responses
from steelyard.lab.protocol.variants import DOSES, LEVERS, STUFFING, TECHNICAL, named
from steelyard.lab.stats.bootstrap import interval, resamples


def curves(responses: Responses, *, draws: int = DRAWS, seed: int = 0) -> dict[str, list[dict[str, Any]]]:
    """edit → [{dose, response, low, high}], against as much neutral filler."""
    samples = responses.drawn(resamples(len(responses), draws, random.Random(seed))) if draws else []
    found: dict[str, list[dict[str, Any]]] = {}
    for edit in (*LEVERS, TECHNICAL, STUFFING):
        points = []
        for dose in DOSES:
            if named(edit, dose) in responses.points:
                low, high = interval([s.delta(edit, dose) for s in samples]) if samples else (None, None)
                points.append({"dose": dose, "response": responses.delta(edit, dose), "low": low, "high": high})
        found[edit] = points
    return found
