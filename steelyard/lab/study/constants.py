"""`reproduce`, first stage: weights, anchors, bounds and degenerate values, the reasons, the ranker's inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.components import NAMES
from steelyard.lab.protocol.gates import NAMES as GATE_NAMES
from steelyard.lab.protocol.variants import INTERVENTIONS
from steelyard.lab.study import concepts, rationale
from steelyard.lab.study.constants_data import WEIGHTINGS
from steelyard.lab.study.findings import Findings, Titled
from steelyard.lab.study.rationale import ResultOf, nothing
from steelyard.lab.study.wording import name, plain, right, signed
from steelyard.support.table import Column, Table


def findings(result: Mapping[str, Any], *, result_of: ResultOf = nothing) -> Findings:
    """`result_of` gives another stage's result, for what was measured of each component."""
    weights = [
        [n, *(plain(result["weights"][w][n], 4) for w in WEIGHTINGS), result["components"][n]["about"]] for n in NAMES
    ]
    columns = [Column("component"), *(right(w) for w in WEIGHTINGS), Column("what it is")]
    anchors = [[name(lever), f"{signed(result['anchors'][lever], 1)}%"] for lever in INTERVENTIONS]
    bounds = [[gate, plain(result["gates"][gate], 2)] for gate in GATE_NAMES]
    degenerate = [
        [n, reason, plain(value, 0)] for n in NAMES for reason, value in result["components"][n]["degenerate"]
    ]
    tables = [
        Titled("Weights", Table(columns, weights), "`prior` is reconstructed: the paper does not print it."),
        *rationale.tables(result, result_of),
        Titled("Anchors, published", Table([Column("intervention"), right("gain in PAWC")], anchors)),
        Titled("Bounds of the gates", Table([Column("gate"), right("bound")], bounds)),
    ]
    if degenerate:
        heads = [Column("component"), Column("when"), right("value")]
        tables.append(Titled("Degenerate values, in this order", Table(heads, degenerate)))
    tables.append(_features(result["features"]))
    plots = {
        "objects": concepts.objects(),
        "scoring": concepts.pipeline(),
        "calibration": concepts.calibration(),
    }
    return Findings("constants", result, tables, plots)


def _features(stack: Mapping[str, Any]) -> Titled:
    """The ranker's inputs by category."""
    rows = [
        [
            c["name"], c["about"], len(c["features"]), ", ".join(c["features"]), _query(c),
            " or ".join(c["models"]) or "no", "yes" if c["regex_only"] else "no",
        ]
        for c in stack["categories"]
    ]  # fmt: skip
    heads = ("category", "what it holds", "n", "features", "sees the query", "needs a model", "in regex only")
    note = (
        f"Kept out: {', '.join(stack['constant'])}, which are constants on plain passages; {stack['baseline']}, the "
        f"score itself, is a baseline; {stack['leak']} is measured as a leak and is never a feature."
    )
    return Titled("What the ranker sees", Table([Column(h, right=h == "n") for h in heads], rows), note)


def _query(category: Mapping[str, Any]) -> str:
    blind = category["blind"]
    if not blind:
        return "yes"
    return "no" if len(blind) == len(category["features"]) else f"all but {', '.join(blind)}"
