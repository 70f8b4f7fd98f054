"""`protocol matrix`: which component answers which intervention, and how the components lie."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.components import NAMES
from steelyard.lab.protocol.matrix import PAPER
from steelyard.lab.protocol.variants import INTERVENTIONS, LEVERS, STUFFING
from steelyard.lab.study.findings import Findings, Titled
from steelyard.lab.study.wording import name, plain, right, signed
from steelyard.support.table import Column, Table


def findings(result: Mapping[str, Any], *, check: bool = False) -> Findings:
    """With `check` a lever without a carrier is a finding."""
    tables = [
        Titled(
            f"Raw response at dose 1, points ({result['sources']} {result['split']} sources)",
            _matrix(result),
            "Ours, and in brackets the paper's on its 250 GEO-Bench sources.",
        ),
        Titled("Distribution over untouched sources", _distribution(result)),
        Titled("Correlation over untouched sources", _correlations(result), "A dash: a component that never varies."),
    ]
    missing = [edit for edit, carrier in result["carriers"].items() if carrier is None]
    return Findings("matrix", result, tables, {}, _lines(result, missing), found=check and bool(missing))


def _lines(result: Mapping[str, Any], missing: list[str]) -> list[str]:
    shown = []
    for edit in (*LEVERS, STUFFING):
        carrier = result["carriers"][edit]
        if carrier is None:
            shown.append(f"{name(edit)}: no carrier: no component answers it by 5 points or more")
        else:
            shown.append(f"{name(edit)}: carried by {carrier} ({signed(result['matrix'][carrier][edit], 1)})")
    shown += [f"sign differs from the paper: {text}" for text in result["disagreements"]]
    shown.append(
        f"{len(missing)} lever(s) without a carrier: a component is blind to what it was made for"
        if missing
        else "every lever has its carrier"
    )
    return shown


def _matrix(result: Mapping[str, Any]) -> Table:
    rows = [
        [n, *(f"{signed(result['matrix'][n][e], 1)} ({signed(PAPER[n][i], 1)})" for i, e in enumerate(INTERVENTIONS))]
        for n in NAMES
    ]
    return Table([Column("component"), *(right(name(e)) for e in INTERVENTIONS)], rows)


def _distribution(result: Mapping[str, Any]) -> Table:
    rows = [
        [n, *(plain(v, 1) for v in (d["mean"], d["sd"], 100 * d["share_at_100"], 100 * d["share_at_0"]))]
        for n in NAMES
        if (d := result["distribution"][n])
    ]
    return Table([Column("component"), *(right(t) for t in ("mean", "sd", "% at 100", "% at 0"))], rows)


def _correlations(result: Mapping[str, Any]) -> Table:
    letters = [str(i + 1) for i in range(len(NAMES))]
    rows = [
        [f"{letters[i]} {a}", *("" if j > i else signed(result["correlations"][a][b]) for j, b in enumerate(NAMES))]
        for i, a in enumerate(NAMES)
    ]
    return Table([Column("component"), *(right(letter) for letter in letters)], rows)
