"""`protocol observational`: what eleven weights make of fewer than forty outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.lab.study.findings import Findings, Titled
from steelyard.lab.study.wording import between, plain, right, signed
from steelyard.support.table import Column, Table


def findings(result: Mapping[str, Any]) -> Findings:
    shuffled = result["shuffled"]
    rows = [
        ["these outcomes", signed(result["in_sample_spearman"]), signed(result["leave_one_out_spearman"])],
        [
            f"shuffled outcomes, mean of {shuffled['n']}",
            signed(shuffled["in_sample_mean"]),
            signed(shuffled["leave_one_out_mean"]),
        ],
        [
            "shuffled outcomes, 95th percentile",
            signed(shuffled["in_sample_p95"]),
            signed(shuffled["leave_one_out_p95"]),
        ],
    ]
    columns = [Column("fitted to"), right("in sample"), right("leave one out")]
    fits = Titled("Spearman of the fitted weighting with the outcome", Table(columns, rows))
    single = sorted(result["components"].items(), key=lambda kv: (-abs(kv[1] or 0), kv[0]))
    each = Titled(
        "Every component alone",
        Table([Column("component"), right("Spearman")], [[n, signed(v)] for n, v in single]),
        "A dash: the component never varies on these pages.",
    )
    return Findings("observational", result, [fits, each], {}, _lines(result))


def _lines(result: Mapping[str, Any]) -> list[str]:
    shuffled = result["shuffled"]
    mixed = (
        f"outcomes shuffled among the pages: {plain(shuffled['in_sample_mean'])} in sample on average, "
        f"{plain(shuffled['leave_one_out_mean'])} leaving one out"
    )
    closing = "fitting this many weights to this few outcomes measures the freedom of the fit, not the pages"
    kind = "counts drawn without a look at the page" if result["simulated"] else "outcomes"
    return [
        f"{result['weights']} weights fitted to {result['n']} {kind}: Spearman "
        f"{plain(result['in_sample_spearman'])} in sample, {plain(result['leave_one_out_spearman'])} when each page is "
        "predicted from the others",
        f"Pearson {plain(result['in_sample_pearson'])} in sample, Fisher 95% interval "
        f"{between(result['fisher_interval'])}",
        mixed,
        closing,
    ]
