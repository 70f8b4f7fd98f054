"""What is fixed before any page is read: weights, anchors, degenerate values, the gates' bounds."""

from __future__ import annotations

from typing import Any

from steelyard.components import COMPONENTS
from steelyard.protocol.anchors import ANCHORS
from steelyard.protocol.gates import GATES
from steelyard.score import weighting

WEIGHTINGS = ("shipped", "prior", "equal")


def constants() -> dict[str, Any]:
    weights = {w: dict(weighting.load(w).weights) for w in WEIGHTINGS}
    return {
        "components": {
            c.name: {"about": (type(c).__doc__ or "").split("\n", maxsplit=1)[0], "degenerate": _degenerate(c)}
            for c in COMPONENTS
        },
        "weights": weights,
        "anchors": dict(ANCHORS),
        "gates": {g.name: g.bound for g in GATES},
    }


def _degenerate(component: Any) -> list[list[Any]]:
    """The ordered table of degenerate cases, where the component has one."""
    return [[case.reason, case.value] for case in getattr(component, "degenerate", ())]
