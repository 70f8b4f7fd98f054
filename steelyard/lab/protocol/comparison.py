"""The strategy comparison as one study: everything tried, selected, confirmed."""

from __future__ import annotations

from typing import Any

from steelyard.lab.protocol import observational
from steelyard.lab.protocol.capture import Capture
from steelyard.lab.protocol.gates import DRAWS
from steelyard.lab.protocol.observational import Outcomes
from steelyard.lab.protocol.readings import halves_of, readings
from steelyard.lab.protocol.strategies import baselines, best_aligned, fitted, record, select, sensitivity, tried


def compare(
    taken: Capture,
    *,
    french: Capture | None = None,
    outcomes: Outcomes | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> dict[str, Any]:
    """Every family and baseline on both splits, the selection, and how firmly each gate's constant holds it."""
    train, test = halves_of(taken)
    beside = readings(french) if french else None
    refits = observational.recalibrations(outcomes) if outcomes else {}
    strategies = [*fitted(train), *baselines(train, refits)]
    candidates = [tried(s, train, test, french=beside, draws=draws, seed=seed) for s in strategies]
    selected, aligned = select(candidates), best_aligned(candidates)
    undefined = [] if outcomes else ["refits to outcomes: no outcome records were given (--outcomes)"]
    return {
        "sources": {"train": len(train), "test": len(test), "french": len(beside) if beside else 0},
        "selected": selected.strategy.name if selected else None,
        "best_aligned": aligned.strategy.name if aligned else None,
        "sensitivity": sensitivity(candidates),
        "order": [c.strategy.name for c in candidates],
        "strategies": {c.strategy.name: record(c) for c in candidates},
        "undefined": undefined,
    }
