"""The feature-anchor matrix: how every raw component responds to every intervention, as a test of the components."""

from __future__ import annotations

from typing import Any

import numpy as np

from steelyard.components import NAMES
from steelyard.lab.protocol.capture import Capture
from steelyard.lab.protocol.families import raw
from steelyard.lab.protocol.readings import Readings, TooFewSources, readings
from steelyard.lab.protocol.variants import INTERVENTIONS, LEVERS, STUFFING
from steelyard.lab.stats.correlation import pearson

CARRIES = 5.0  # points at dose 1: a lever that moves no component by as much has no carrier

# The paper's Table tab:featanchor (test split, n = 250), in the order of the interventions.
PAPER = {
    "shannon_entropy": (0.0, 0.0, 0.0, 0.0, -7.4),
    "information_density": (0.3, 2.2, 0.3, 0.6, -9.1),
    "quotable_density": (47.6, -3.7, -2.5, 0.0, -1.5),
    "entity_density": (6.8, 6.6, 12.5, 1.0, -0.6),
    "semantic_coherence": (-0.5, 7.6, 0.0, -0.3, -0.4),
    "self_containment": (0.0, 0.0, 0.0, 0.0, -0.3),
    "statistic_density": (0.2, 80.7, 15.5, 0.4, -0.4),
    "mmr_score": (0.0, 0.0, 0.0, 0.0, -0.1),
    "citation_f1": (0.0, -0.6, 82.1, 0.0, 0.0),
    "ndcg_score": (0.0, 0.0, 0.0, 0.0, -0.1),
    "semantic_redundancy": (0.0, 0.0, 0.0, 0.0, -0.1),
}


def matrix(sources: Readings) -> dict[str, dict[str, float]]:
    """component → intervention → mean raw response at dose 1 against the filler."""
    found = sources.matrix(raw)
    return {name: dict(zip(INTERVENTIONS, found[:, i].tolist(), strict=True)) for i, name in enumerate(NAMES)}


def carriers(found: dict[str, dict[str, float]]) -> dict[str, str | None]:
    """The component that answers each lever most (the control: most negatively); None when none answers enough.

    Technical terms are asked of nothing: no component is made for them, and the paper keeps it so.
    """
    carried: dict[str, str | None] = {}
    for edit in (*LEVERS, STUFFING):
        sign = -1 if edit == STUFFING else 1
        best = max(NAMES, key=lambda name: sign * found[name][edit])
        carried[edit] = best if sign * found[best][edit] >= CARRIES else None
    return carried


def disagreements(found: dict[str, dict[str, float]]) -> list[str]:
    """Entries of at least 5 points in the paper's table whose sign ours does not share."""
    wrong = []
    for name, row in PAPER.items():
        for edit, theirs in zip(INTERVENTIONS, row, strict=True):
            ours = found[name][edit]
            if abs(theirs) >= CARRIES and ours * theirs <= 0:
                wrong.append(f"{edit} → {name}: {ours:+.1f} here, {theirs:+.1f} in the paper")
    return wrong


def distribution(sources: Readings) -> dict[str, dict[str, float]]:
    """Mean, standard deviation and shares at the ends of every component over untouched sources."""
    base = sources.base
    spread = base.std(axis=0, ddof=1) if len(base) > 1 else np.zeros(base.shape[1])
    return {
        name: {
            "mean": float(base[:, i].mean()),
            "sd": float(spread[i]),
            "share_at_100": float((base[:, i] >= 100).mean()),
            "share_at_0": float((base[:, i] <= 0).mean()),
        }
        for i, name in enumerate(NAMES)
    }


def correlations(sources: Readings) -> dict[str, dict[str, Any]]:
    """Pearson correlation of every pair of components over untouched sources; None where one is constant."""
    columns = {name: sources.base[:, i].tolist() for i, name in enumerate(NAMES)}
    return {a: {b: pearson(columns[a], columns[b]) for b in NAMES} for a in NAMES}


def study(capture: Capture, split: str) -> dict[str, Any]:
    """Matrix, carriers, distribution and correlations over one split, or over all sources."""
    chosen = readings(capture, split=None if split == "all" else split)
    if not len(chosen):
        raise TooFewSources(0, 0)
    found = matrix(chosen)
    return {
        "split": split,
        "sources": len(chosen),
        "matrix": found,
        "carriers": carriers(found),
        "disagreements": disagreements(found),
        "distribution": distribution(chosen),
        "correlations": correlations(chosen),
    }
