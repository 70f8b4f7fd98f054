"""`lab ranking audit`: what folds over records would gain."""

from __future__ import annotations

from typing import Any

from steelyard.lab.ranking.leakage import LEAKS, PROBE, UNDEFINED, run_audit
from steelyard.lab.study.findings import Findings, make_table, signed
from steelyard.lab.study.sources import open_groups
from steelyard.lab.study.study import DATA_OPTIONS, DRAWS, Argument, Request, Result, Study

SCOPES = {
    "": "query-blind probe, all queries",
    "answers": "query-blind probe, every answer counted",
    "shared": "query-blind probe, queries with several answers",
}
FIGURES = ("n", "record_folds", "query_folds", "difference", "interval")
COLUMNS = "model | n > | record folds (leaky) +.3 | query folds +.3 | difference +.3 | interval to.3"
NOTE = (
    "Mean Spearman over {} shuffles of each kind of folds; the difference query by query with its 95% interval. The "
    "probe is LambdaMART on the content components, without the query; snippets are too short for them to say "
    "anything about content. The paper counts every answer; the verdict goes by the queries with several."
)


def findings(result: Result) -> Findings:
    rows = list_probe(result)
    note = NOTE.format(result["shuffles"])
    tables = [make_table("Both kinds of folds", COLUMNS, rows, note)] if rows else []
    return Findings(list_lines(result), tables)


def list_probe(result: Result) -> list[list[Any]]:
    """Return the probe's rows: over all queries, over all answers, and over the queries with several; or none."""
    if PROBE not in result["models"]:
        return []
    probe = result["models"][PROBE]
    return [[name, *((probe[scope] if scope else probe)[key] for key in FIGURES)] for scope, name in SCOPES.items()]


def list_lines(result: Result) -> list[str]:
    shown = [f"audit: {result['verdict']}: {result['reason']}"]
    if probe := result["models"].get(PROBE):
        gain, of_answers = (signed(e["difference"], 3) for e in (probe, probe["answers"]))
        shown.append(
            f"over all queries the probe gains {gain}; with every answer counted, as in the paper, {of_answers}"
        )
    shown.append(f"{result['shared_queries']:,} of {result['queries']:,} queries have more than one answer")
    if result["shared_sources"]:
        shown.append(
            f"{result['shared_sources']:,} sources are candidates of several queries; folds over queries share them"
        )
    return shown


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
    exit_code=lambda result, _: {LEAKS: 1, UNDEFINED: 2}.get(result["verdict"], 0),
)
