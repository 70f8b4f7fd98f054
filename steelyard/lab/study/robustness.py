"""`protocol robustness`: re-splits, shaken weights, strengths and exponents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.study.findings import Findings, Titled
from steelyard.lab.study.wording import plain, right, signed
from steelyard.support.table import Column, Table

_FIGURES = (
    ("pearson", "Pearson", 3), ("stuffing_dose_1", "stuffing x1", 2), ("stuffing_dose_8", "stuffing x8", 2),
    ("worst_step", "worst step", 2), ("saturation", "saturation", 2),
)  # fmt: skip


def findings(result: Mapping[str, Any]) -> Findings:
    tables = [
        Titled("Ten other splits, each with its own nested refit", _rows(result["resplits"], "split")),
        Titled("The grid of ridge strengths", _rows(result["ridges"], "ridge")),
        Titled("The exponent of the transform, refitted", _rows(result["exponents"], "exponent")),
    ]
    return Findings("robustness", result, tables, {}, _lines(result))


def _lines(result: Mapping[str, Any]) -> list[str]:
    splits, shaken = result["resplits"], result["perturbations"]
    aligned = [r["pearson"] for r in splits]
    negative = sum(r["stuffing_dose_1"] <= 0 and r["stuffing_dose_8"] <= 0 for r in splits)
    return [
        f"re-splits: held-out Pearson {plain(min(aligned), 3)} to {plain(max(aligned), 3)} "
        f"(mean {plain(mean(aligned), 3)}), stuffing negative on {negative} of {len(splits)}, "
        f"5/5 gates on {sum(r['gates'] == 5 for r in splits)} of {len(splits)}",
        f"{shaken['n']} perturbations of {shaken['shake']:.0%}: worst Pearson {plain(shaken['worst_pearson'], 3)}, "
        f"weakest stuffing at dose 8 {signed(shaken['worst_stuffing_dose_8'])}, "
        f"never fewer than {shaken['fewest_gates']}/5 gates",
        _span("ridge strengths", result["ridges"]),
        _span("exponents", result["exponents"]),
    ]


def _span(what: str, rows: Sequence[Mapping[str, Any]]) -> str:
    aligned = [r["pearson"] for r in rows]
    return f"{what}: held-out Pearson {plain(min(aligned), 3)} to {plain(max(aligned), 3)}"


def _rows(rows: Sequence[Mapping[str, Any]], key: str) -> Table:
    columns = [right(key), *(right(title) for _, title, _ in _FIGURES), right("gates")]
    body = [
        [
            f"{r[key]:g}",
            *((plain if f in ("pearson", "saturation") else signed)(r[f], d) for f, _, d in _FIGURES),
            f"{r['gates']}/5",
        ]
        for r in rows
    ]
    return Table(columns, body) if body else Table([Column(key)], [])
