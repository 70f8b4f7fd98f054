"""What is fixed before any page is read: weights, anchors, degenerate values, the gates' bounds, the reasons."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any

from steelyard.components import COMPONENTS
from steelyard.lab.protocol.anchors import ANCHORS
from steelyard.lab.protocol.gates import GATES
from steelyard.lab.ranking import stack
from steelyard.scoring import weighting

WEIGHTINGS = ("shipped", "prior", "equal")


def constants() -> dict[str, Any]:
    weights = {w: dict(weighting.load(w).weights) for w in WEIGHTINGS}
    reasons = rationale()
    return {
        "components": {
            c.name: {
                "about": (type(c).__doc__ or "").split("\n", maxsplit=1)[0],
                "measures": c.about,
                "rationale": reasons[c.name],
                "degenerate": _degenerate(c),
            }
            for c in COMPONENTS
        },
        "weights": weights,
        "anchors": dict(ANCHORS),
        "gates": {g.name: g.bound for g in GATES},
        "features": stack.record(),
    }


def rationale() -> dict[str, dict[str, str]]:
    """component → why it is read, what it is meant to carry, why it stays, the attack it invites, what bounds that."""
    text = resources.files("steelyard.lab.study").joinpath("rationale.toml").read_text("utf-8")
    return tomllib.loads(text)


def _degenerate(component: Any) -> list[list[Any]]:
    """The ordered table of degenerate cases, where the component has one."""
    return [[case.reason, case.value] for case in getattr(component, "degenerate", ())]
