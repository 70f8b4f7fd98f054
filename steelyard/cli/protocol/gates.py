"""`steelyard protocol gates`: the five gates on our own scorer."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.options import Weights
from steelyard.cli.studies import capture_options, finish, how, source_of, study_options, taken
from steelyard.scoring.weighting import Weighting


@click.command("gates")
@click.argument("source", default="demo")
@click.option(
    "--weights", type=Weights(), default="shipped", metavar="NAME|FILE", help="The weighting to try.", show_default=True
)
@capture_options
@study_options
def command(source: str, weights: Weighting, **options: Any) -> int:
    """The five gates on the content score, with dose curves, gains and their ceilings.

    \b
    Exit codes: 0 all five pass, 1 one does not, 2 could not run.
    """
    settings = how(options)
    from steelyard.lab.protocol.own import own
    from steelyard.lab.study import gates

    found = taken(source, settings)
    result = own(found, weights, seed=settings.seed)
    return finish(
        gates.findings(result),
        source_of(found),
        options,
        extra={"weights": weights.name, "resampling_seed": settings.seed},
    )
