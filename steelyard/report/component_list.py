"""The components, described from their own classes: what `steelyard components` and the manual show."""

from __future__ import annotations

import textwrap
from typing import Any

from steelyard.components import COMPONENTS
from steelyard.scoring import weighting
from steelyard.support.table import Column, Table


def describe_components() -> list[dict[str, Any]]:
    """Return one entry per component, in the paper's order."""
    weights = weighting.load(weighting.DEFAULT).weights
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


def render_terminal() -> list[str]:
    """Return the list as lines."""
    weights = weighting.load(weighting.DEFAULT).weights
    lines = []
    for c in COMPONENTS:
        lines.append(f"{c.name}: {c.label}")
        lines += textwrap.wrap(c.about, 80, initial_indent="  ", subsequent_indent="  ")
        lines += [f"  {c.formula}", f"  weight {weights[c.name]:.4f}, specified in {c.spec}"]
        lines += [f"  {d.value:g} when {d.reason}" for d in c.degenerate]
        lines.append("")
    return lines


def render_markdown() -> str:
    """Return the list as the table of the manual."""
    weights = weighting.load(weighting.DEFAULT).weights
    columns = [
        Column("component", code=True), Column("in plain words"), Column("weight", ".4f", right=True),
        Column("what it is"), Column("formula", code=True), Column("constant"),
    ]  # fmt: skip
    rows = []
    for c in COMPONENTS:
        constants = "; ".join(f"{d.value:g} when {d.reason}" for d in c.degenerate)
        rows.append([c.name, c.label, weights[c.name], c.about, c.formula, constants])
    return Table(columns, rows).to_markdown()
