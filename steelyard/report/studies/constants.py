"""`reproduce`, first stage: weights, anchors, bounds and degenerate values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.components import NAMES
from steelyard.render.findings import Findings, Titled
from steelyard.render.table import Column, Table
from steelyard.report.studies.words import name, plain, right


def findings(result: Mapping[str, Any]) -> Findings:
    weights = [
        [n, *(plain(result["weights"][w][n], 4) for w in result["weights"]), result["components"][n]["about"]]
        for n in NAMES
    ]
    columns = [Column("component"), *(right(w) for w in result["weights"]), Column("what it is")]
    anchors = [[name(lever), f"{gain:+g}%"] for lever, gain in result["anchors"].items()]
    bounds = [[gate, plain(bound, 2)] for gate, bound in result["gates"].items()]
    degenerate = [
        [n, reason, plain(value, 0)] for n in NAMES for reason, value in result["components"][n]["degenerate"]
    ]
    tables = [
        Titled("Weights", Table(columns, weights), "`prior` is reconstructed: the paper does not print it."),
        Titled("Anchors, published", Table([Column("intervention"), right("gain in PAWC")], anchors)),
        Titled("Bounds of the gates", Table([Column("gate"), right("bound")], bounds)),
    ]
    if degenerate:
        heads = [Column("component"), Column("when"), right("value")]
        tables.append(Titled("Degenerate values, in this order", Table(heads, degenerate)))
    return Findings("constants", result, tables)
