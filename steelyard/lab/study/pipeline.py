"""`protocol pipeline`: the responses of the score itself, freshness, caps and guards included."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.lab.protocol.pipeline import ROWS
from steelyard.lab.protocol.variants import INTERVENTIONS
from steelyard.lab.study.findings import Findings, Titled
from steelyard.lab.study.wording import name, plain, right, signed
from steelyard.support.table import Column, Table

_SHORT = {"technical_terms": "technical", "keyword_stuffing": "stuffing"}  # for a table of 120 columns


def findings(result: Mapping[str, Any]) -> Findings:
    columns = [
        Column("pages"), Column("weights"), right("n"), *(right(_SHORT.get(e, name(e))) for e in INTERVENTIONS),
        right("stuffing x8"), right("Pearson"), right("Spearman"), right("gates"),
    ]  # fmt: skip
    rows = []
    for label, weightings in result["captures"].items():
        for weights, _, _ in ROWS:
            e = weightings[weights]
            rows.append(
                [
                    label, weights, e["sources"], *(signed(e["responses"][i]) for i in INTERVENTIONS),
                    signed(e["stuffing_dose_8"]), plain(e["pearson"], 3), signed(e["spearman"]), f"{e['gates']}/5",
                ]
            )  # fmt: skip
    note = (
        "Responses of `score` at dose 1. A block can lift a short page's cap: "
        "the order of levers is claimed for `content` only."
    )
    return Findings("pipeline", result, [Titled("The whole pipeline", Table(columns, rows), note)], {}, _lines(result))


def _lines(result: Mapping[str, Any]) -> list[str]:
    shown = []
    for label, weightings in result["captures"].items():
        for weights, _, _ in ROWS:
            e = weightings[weights]
            first, most = e["responses"]["keyword_stuffing"], e["stuffing_dose_8"]
            held = "holds" if first <= 0 and most <= 0 else "FAILS"
            missed = f"; not passed: {', '.join(e['not_passed'])}" if e["not_passed"] else ""
            shown.append(
                f"{label}, {weights}: the negative control {held} ({signed(first)} at dose 1, {signed(most)} at dose 8)"
                + missed
            )
    return shown
