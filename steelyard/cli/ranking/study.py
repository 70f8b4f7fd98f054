"""`steelyard ranking study`: every baseline and model on one data set."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.ranking.shared import data_options, prepared
from steelyard.cli.studies import finish, ready, study_options


@click.command("study")
@data_options
@click.option("--draws", type=click.IntRange(min=100), default=1000, show_default=True, help="Of the bootstrap.")
@click.option("--shuffles", type=click.IntRange(1, 20), default=5, show_default=True, help="Of the folds.")
@study_options
def command(data: tuple[str, ...], draws: int, shuffles: int, **options: Any) -> int:
    """Baselines and models on DATA under folds over queries: order, hits, both kinds of folds, other engines.

    DATA are files of outcome records, journals of `outcome run`, or your own groups, one a line: {"query", "engine",
    "sources": [{"text", "share", "position", "relevance"}]}.
    """
    ready(options["folder"])
    found, origin = prepared(data, options)
    from steelyard.lab.ranking.study import study
    from steelyard.lab.study import ranking

    seed = options["seed"]
    result = study(found, draws=draws, seeds=range(seed, seed + shuffles), seed=seed, quiet=options["quiet"])
    return finish(ranking.findings(result), origin, options, extra={"draws": draws, "shuffles": shuffles})
