"""`outcome anchors`: the modern vector beside the published one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.components import NAMES
from steelyard.lab.outcome.anchors import MEANING
from steelyard.lab.study.findings import Findings, Titled
from steelyard.lab.study.outcome import unpooled
from steelyard.lab.study.wording import between, name, of_five, plain, right, signed
from steelyard.support.table import Column, Table


def findings(result: Mapping[str, Any]) -> Findings:
    found = result["anchors"]
    rows = []
    for lever in found["order"]:
        e = found["levers"][lever]
        rows.append(
            [
                name(lever), e["n"], signed(e["points"]), between(e["interval"]), f"+{e['published_percent']:g}%",
                signed(e["published_points"]), e["verdict"] or "undefined",
            ]
        )  # fmt: skip
    heads = ("n", "points", "interval", "published", "as points")
    table = Table([Column("lever"), *(right(h) for h in heads), Column("verdict")], rows)
    share, queries = found["baseline_share"], found["baseline_queries"]
    note = (
        f"Percentage points of the target's share, paired with filler ({result['mode']}). As points: the published "
        f"relative gain of the untouched target's mean share, {plain(share, 3)} over {queries:,} queries."
    )
    tables = [Titled(f"Anchors measured {found['dated']}", table, note)]
    lines = [*result["notes"], *unpooled(result["coverage"]), *_verdicts(found)]
    if again := result["recalibration"]:
        if "undefined" in again:
            lines.append(f"recalibration: undefined, {again['undefined']}")
        else:
            tables.append(Titled("Weights the measured anchors would give", _weights(again)))
            lines += _recalibrated(again)
    return Findings("anchors", result, tables, {}, lines)


def _verdicts(found: Mapping[str, Any]) -> list[str]:
    if not found["judged"]:
        return ["no verdict: an embedded reference answered, which says nothing about the published effects"]
    lines = []
    for verdict in dict.fromkeys(found["levers"][lever]["verdict"] for lever in found["order"]):
        levers = ", ".join(name(k) for k in found["order"] if found["levers"][k]["verdict"] == verdict)
        lines.append(
            f"{levers}: {verdict} ({MEANING[verdict]})" if verdict else f"{levers}: undefined, too few queries"
        )
    return lines


def _weights(again: Mapping[str, Any]) -> Table:
    columns = again["weights"], again["without_ridge"]["weights"]
    rows = [[n, *(plain(weights[n], 3) for weights in columns)] for n in NAMES]
    return Table([Column("component"), right("with the chosen λ"), right("λ → 0")], rows)


def _recalibrated(again: Mapping[str, Any]) -> list[str]:
    zeroed = ", ".join(name(n) for n in again["without_ridge"]["zeroed"]) or "nothing"
    alignment = again["alignment"]
    greatest = " (the greatest of the grid)" if again["ridge_is_the_greatest"] else ""
    return [
        f"{again['label']}: λ = {again['ridge']:g}{greatest}, "
        f"{of_five(again['gates'])} gates on the held-out half (shipped: {of_five(again['shipped_gates'])})",
        f"without a ridge it zeroes {zeroed}",
        f"the shipped weights align with the measured anchors at {plain(alignment['shipped'], 3)}; with three anchors "
        f"no alignment can be tested, since p is never under {plain(alignment['smallest_p'], 3)}",
    ]
