"""The components described from their own classes: what `steelyard components` and the docs print."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.components import COMPONENTS
from steelyard.scoring import weighting


def catalogue() -> list[dict[str, Any]]:
    """One entry per component, in the paper's order."""
    weights = weighting.load("shipped").weights
    return [
        {
            "name": c.name,
            "about": c.about,
            "formula": c.formula,
            "symbols": list(c.symbols),
            "spec": c.spec,
            "weight": weights[c.name],
            "degenerate": [{"reason": d.reason, "value": d.value} for d in c.degenerate],
        }
        for c in COMPONENTS
    ]


def markdown(entries: Sequence[dict[str, Any]]) -> str:
    """The table of the manual."""
    lines = ["| component | weight | what it is | formula | constant |", "| --- | ---: | --- | --- | --- |"]
    for e in entries:
        constants = "; ".join(f"{d['value']:g} when {d['reason']}" for d in e["degenerate"])
        formula = e["formula"].replace("|", "\\|")
        lines.append(f"| `{e['name']}` | {e['weight']:.4f} | {e['about']} | `{formula}` | {constants} |")
    return "\n".join(lines) + "\n"
