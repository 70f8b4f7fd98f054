"""`ranking audit`: what folds over records would gain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.lab.study.findings import Findings, Titled
from steelyard.lab.study.wording import between, right, signed
from steelyard.support.table import Column, Table

LEAKS = "leaks"


def findings(result: Mapping[str, Any]) -> Findings:
    rows = [
        [
            name,
            e["n"],
            signed(e["record_folds"], 3),
            signed(e["query_folds"], 3),
            signed(e["difference"], 3),
            between(e["interval"], 3),
        ]
        for name, e in sorted(result["models"].items())
    ]
    heads = ("n", "record folds", "query folds", "difference", "interval")
    table = Table([Column("model"), *(right(h) for h in heads)], rows)
    note = "Mean Spearman within queries over three shuffles; the difference query by query with its 95% interval."
    tables = [Titled("Both kinds of folds", table, note)] if rows else []
    return Findings("ranking-audit", result, tables, {}, lines(result), found=result["verdict"] == LEAKS)


def lines(result: Mapping[str, Any]) -> list[str]:
    said = [
        f"audit: {result['verdict']}: {result['reason']}",
        f"{result['shared_queries']:,} of {result['queries']:,} queries have more than one answer",
    ]
    if result["shared_sources"]:
        said.append(
            f"{result['shared_sources']:,} sources are candidates of several queries; folds over queries share them"
        )
    return said
