"""`steelyard ranking audit`: would folds over records leak on this data?"""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.ranking.shared import data_options, prepared
from steelyard.cli.studies import finish, ready, study_options


@click.command("audit")
@data_options
@click.option("--draws", type=click.IntRange(min=100), default=1000, show_default=True, help="Of the bootstrap.")
@study_options
def command(data: tuple[str, ...], draws: int, **options: Any) -> int:
    """Try DATA with a probe that never sees the query, under folds over queries and over records.

    \b
    Exit codes: 0 no leak found, 1 it leaks, 2 could not run or too little data for a verdict.
    """
    ready(options["folder"])
    found, origin = prepared(data, options)
    from steelyard.lab.ranking.audit import UNDEFINED, audit
    from steelyard.lab.study import ranking_audit

    result = audit(found, draws=draws, seed=options["seed"])
    code = finish(ranking_audit.findings(result), origin, options, extra={"draws": draws})
    return 2 if result["verdict"] == UNDEFINED else code
