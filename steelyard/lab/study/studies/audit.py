"""`ranking audit`: what folds over records would gain."""

from __future__ import annotations

from steelyard.lab.ranking.audit import UNDEFINED, run_audit
from steelyard.lab.study.findings import Findings, make_table
from steelyard.lab.study.sources import open_groups
from steelyard.lab.study.study import DATA_OPTIONS, DRAWS, Argument, Request, Result, Study

LEAKS = "leaks"


def findings(result: Result) -> Findings:
    keys = ("n", "record_folds", "query_folds", "difference", "interval")
    rows = [[name, *(e[key] for key in keys)] for name, e in sorted(result["models"].items())]
    columns = "model | n > | record folds +.3 | query folds +.3 | difference +.3 | interval to.3"
    note = "Mean Spearman within queries over three shuffles; the difference query by query with its 95% interval."
    tables = [make_table("Both kinds of folds", columns, rows, note)] if rows else []
    return Findings(lines(result), tables, complaint=result["verdict"] == LEAKS)


def lines(result: Result) -> list[str]:
    said = [
        f"audit: {result['verdict']}: {result['reason']}",
        f"{result['shared_queries']:,} of {result['queries']:,} queries have more than one answer",
    ]
    if result["shared_sources"]:
        said.append(
            f"{result['shared_sources']:,} sources are candidates of several queries; folds over queries share them"
        )
    return said


def _compute(request: Request) -> Result:
    request.parameters.update(draws=request.options["draws"])
    return run_audit(open_groups(request), draws=request.options["draws"], seed=request.seed)


STUDY = Study(
    "ranking-audit",
    "Does an evaluation leak?",
    _compute,
    findings,
    group="ranking",
    command="audit",
    help="""Test DATA with a probe that never sees the query, under folds over queries and over records.

    \b
    Exit codes: 0 no leak found, 1 it leaks, 2 could not run or too little data for a verdict.
    """,
    argument=Argument("DATA", several=True),
    options=(*DATA_OPTIONS, DRAWS),
    exit_code=lambda result, _: 2 if result["verdict"] == UNDEFINED else None,
)
