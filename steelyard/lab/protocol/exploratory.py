"""The levers that the paper leaves open, measured beside the gates and counted in none of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.protocol.capture import Capture, Value
from steelyard.lab.protocol.gates import DRAWS
from steelyard.lab.protocol.gates.base import FEWEST_SOURCES
from steelyard.lab.protocol.lever_gains import measure_responses
from steelyard.lab.protocol.responses import Responses
from steelyard.lab.protocol.variants import BASE, FILLER, FILLER_PARAGRAPH, OPEN, STRUCTURE, variant_name


def measure_exploratory(
    capture: Capture, figures: Mapping[str, Value], *, draws: int = DRAWS, seed: int = 0
) -> dict[str, Any]:
    """Return for each figure one row per lever: response against as much filler, and mean gain over the untouched page.

    Nothing for too few sources, and for a capture that was made before there were these levers.
    """
    levers = [lever for lever in OPEN if variant_name(lever, 1) in capture.header.parameters["variants"]]
    names = [BASE.name, *(variant_name(edit, 1) for edit in (FILLER, FILLER_PARAGRAPH, *levers))]
    by_figure = {name: capture.responses(value, variants=names) for name, value in figures.items()} if levers else {}
    sources = min((len(responses) for responses in by_figure.values()), default=0)
    if sources < FEWEST_SOURCES:
        return {}
    rows = {name: _measure_levers(responses, levers, draws, seed) for name, responses in by_figure.items()}
    return {"sources": sources, "figures": rows}


def _measure_levers(responses: Responses, levers: Sequence[str], draws: int, seed: int) -> list[dict[str, Any]]:
    rows = []
    for lever in levers:
        control = FILLER_PARAGRAPH if lever in STRUCTURE else FILLER
        (found,) = measure_responses(responses, [(lever, 1)], draws, seed, control)
        rows.append({"edit": lever, **found, "gain": mean(responses.gain(variant_name(lever, 1)))})
    return rows
