"""The feature-anchor matrix: how every raw component responds to every intervention, as a test of the components."""

from __future__ import annotations

from typing import Any

from steelyard.components import NAMES
from steelyard.lab.protocol.capture import Capture
from steelyard.lab.protocol.component_values import ComponentValues, TooFewSources, read_component_values
from steelyard.lab.protocol.families import raw
from steelyard.lab.protocol.variants import INTERVENTIONS, LEVERS, STUFFING
from steelyard.lab.stats.correlation import pearson, spearman

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

# The paper's Table tab:corr: Spearman over 500 sources, each row from the diagonal on.
PAPER_SPEARMAN = {
    "shannon_entropy": (1.0, 0.50, 0.14, -0.02, -0.16, 0.06, 0.0, 0.17, 0.01, 0.17, 0.17),
    "information_density": (1.0, 0.04, -0.07, -0.20, 0.02, 0.0, 0.11, -0.01, 0.11, 0.11),
    "quotable_density": (1.0, -0.07, 0.12, 0.01, -0.02, 0.07, 0.04, 0.07, 0.07),
    "entity_density": (1.0, -0.12, -0.03, 0.26, 0.12, 0.07, 0.12, 0.12),
    "semantic_coherence": (1.0, 0.02, -0.06, 0.11, -0.08, 0.11, 0.11),
    "self_containment": (1.0, 0.05, 0.15, 0.04, 0.15, 0.15),
    "statistic_density": (1.0, 0.05, -0.06, 0.05, 0.05),
    "mmr_score": (1.0, 0.02, 1.0, 1.0),
    "citation_f1": (1.0, 0.02, 0.02),
    "ndcg_score": (1.0, 1.0),
    "semantic_redundancy": (1.0,),
}
PAIR = ("shannon_entropy", "information_density")
PAPER_PAIR = {"pearson": 0.94, "spearman": 0.50}
PAPER_ZEROS = 0.004  # the share of the paper's sources on which every component is 0 (Table tab:dist)


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


def correlate_components(values: ComponentValues) -> dict[str, Any]:
    """Return Spearman's correlation of every pair of components over untouched sources; None where one is constant.

    `pair` has both coefficients of the two entropy components. Their Pearson correlation depends on single pages, so
    it is also given with as large a share of pages at 0 added as the paper's sources have, one page at least.
    """
    columns = dict(zip(NAMES, values.base.T.tolist(), strict=True))
    one, other = (columns[name] for name in PAIR)
    zeros = [0.0] * max(1, round(PAPER_ZEROS * len(values)))
    return {
        "sources": len(values),
        "spearman": {a: {b: spearman(columns[a], columns[b]) for b in NAMES} for a in NAMES},
        "constant": [name for name, column in columns.items() if min(column) == max(column)],
        "pair": {
            "pearson": pearson(one, other),
            "spearman": spearman(one, other),
            "zero_pages": len(zeros),
            "pearson_with_zero_pages": pearson(one + zeros, other + zeros),
        },
    }


def study_matrix(capture: Capture, split: str) -> dict[str, Any]:
    """Return matrix, carriers and distribution over one split, or over all sources, and correlations over all."""
    everything = read_component_values(capture)
    values = everything if split == "all" else read_component_values(capture, split=split)
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
        "correlations": correlate_components(everything),
    }
