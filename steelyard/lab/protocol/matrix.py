"""The feature-anchor matrix: how every raw component responds to every intervention, as a test of the components."""

from __future__ import annotations

from typing import Any

from steelyard.components import NAMES
from steelyard.lab.protocol.capture import Capture
from steelyard.lab.protocol.component_values import ComponentValues, TooFewSources, read_component_values
from steelyard.lab.protocol.families import raw
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


def response_matrix(values: ComponentValues) -> dict[str, dict[str, float]]:
    """Return component → intervention → mean raw response at dose 1 against the filler."""
    responses = values.matrix(raw)
    return {
        name: dict(zip(INTERVENTIONS, column.tolist(), strict=True))
        for name, column in zip(NAMES, responses.T, strict=True)
    }


def find_carriers(matrix: dict[str, dict[str, float]]) -> dict[str, str | None]:
    """Return the component that responds most to each lever (to the control: most negatively).

    None where no component responds enough. Technical terms are left out: no component is made for them, and the
    paper leaves it so.
    """
    carriers: dict[str, str | None] = {}
    for edit in (*LEVERS, STUFFING):
        sign = -1 if edit == STUFFING else 1
        best = max(NAMES, key=lambda name: sign * matrix[name][edit])
        carriers[edit] = best if sign * matrix[best][edit] >= CARRIES else None
    return carriers


def find_disagreements(matrix: dict[str, dict[str, float]]) -> list[str]:
    """Return the entries of at least 5 points in the paper's table whose sign differs from ours."""
    return [
        f"{edit} → {name}: {matrix[name][edit]:+.1f} here, {theirs:+.1f} in the paper"
        for name, row in PAPER.items()
        for edit, theirs in zip(INTERVENTIONS, row, strict=True)
        if abs(theirs) >= CARRIES and matrix[name][edit] * theirs <= 0
    ]


def describe_components(values: ComponentValues) -> dict[str, dict[str, float]]:
    """Return mean, standard deviation and shares at the ends of every component over untouched sources."""
    return {
        name: {
            "mean": float(column.mean()),
            "sd": float(column.std(ddof=1)) if len(column) > 1 else 0.0,
            "share_at_100": float((column >= 100).mean()),
            "share_at_0": float((column <= 0).mean()),
        }
        for name, column in zip(NAMES, values.base.T, strict=True)
    }


def correlate_components(values: ComponentValues) -> dict[str, dict[str, float | None]]:
    """Return Pearson's correlation of every pair of components over untouched sources; None where one is constant."""
    columns = dict(zip(NAMES, values.base.T.tolist(), strict=True))
    return {a: {b: pearson(columns[a], columns[b]) for b in NAMES} for a in NAMES}


def study_matrix(capture: Capture, split: str) -> dict[str, Any]:
    """Return matrix, carriers, distribution and correlations over one split, or over all sources."""
    values = read_component_values(capture, split=None if split == "all" else split)
    if not len(values):
        raise TooFewSources(0, 0)
    matrix = response_matrix(values)
    return {
        "split": split,
        "sources": len(values),
        "matrix": matrix,
        "carriers": find_carriers(matrix),
        "disagreements": find_disagreements(matrix),
        "distribution": describe_components(values),
        "correlations": correlate_components(values),
    }
