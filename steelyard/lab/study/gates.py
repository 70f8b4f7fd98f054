"""`protocol gates`: falsify on our own scorer, with the ceilings that only its weights can give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.lab.protocol.gates.base import UNDEFINED
from steelyard.lab.protocol.variants import LEVERS
from steelyard.lab.study import falsify
from steelyard.lab.study.findings import Findings, Titled
from steelyard.lab.study.wording import name, right, signed
from steelyard.support.table import Column, Table


def findings(result: Mapping[str, Any]) -> Findings:
    """The five gates, and what a lever can buy at most."""
    found = falsify.findings(result)
    tables = list(found.tables)
    if result["ceilings"]:
        rows = []
        for lever in LEVERS:
            means = {r["dose"]: r["mean"] for r in result["gains"] if r["edit"] == lever}
            rows.append([name(lever), *(signed(means.get(d)) for d in (1, 2, 3, 8)), signed(result["ceilings"][lever])])
        columns = [Column("lever"), *(right(f"dose {d}") for d in (1, 2, 3, 8)), right("ceiling")]
        note = "Ceiling: w (100 − mean g) of the lever's carrier over the same pages. Other components add their own."
        tables.append(Titled("Mean gain of a single lever and its analytic ceiling", Table(columns, rows), note))
    if result["combined"]:
        columns = [
            Column("three levers together"),
            right("gain"),
            right("sum of singles at dose 1"),
            right("at dose 8"),
        ]
        rows = [
            [f"dose {r['dose']}", signed(r["combined"]), signed(r["sum_dose_1"]), signed(r["sum_dose_8"])]
            for r in result["combined"]
        ]
        tables.append(Titled("Combined gain beside both sums", Table(columns, rows)))
    lines = [*found.lines, *_order(result)]
    return Findings("gates", result, tables, found.plots, lines, found=found.found)


def _order(result: Mapping[str, Any]) -> list[str]:
    """The order of the interventions at dose 1 on the held-out split."""
    order = result["order"]
    if not order or result["verdicts"]["test"]["negative-control"]["status"] == UNDEFINED:
        return []  # too few pages for a verdict are too few for an order
    listed = [f"{name(o['edit'])} {signed(o['response'])}" for o in order]
    return [f"held-out order at dose 1: {' > '.join(listed)}"]
