"""`steelyard protocol compare`: aggregation families and baselines, selected on train, confirmed on test."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.studies import capture_options, finish, french, french_option, how, source_of, study_options, taken


@click.command("compare")
@click.argument("source", default="demo")
@french_option
@click.option("--outcomes", metavar="FILE", help="JSONL with `text` and `outcome`: adds refits to outcomes.")
@capture_options
@study_options
def command(source: str, french_source: str | None, outcomes: str | None, **options: Any) -> int:
    """Refit every family on the training split, gate everything on both, and say which is selected."""
    settings = how(options)
    from steelyard.lab.protocol import comparison, observational
    from steelyard.lab.study import compare

    found = taken(source, settings)
    beside = french(french_source, source, settings)
    records = observational.read(outcomes, settings.as_of) if outcomes else None
    result = comparison.compare(found, french=beside, outcomes=records, seed=settings.seed)
    origin = source_of(found, french=beside, outcomes=outcomes)
    return finish(compare.findings(result), origin, options, extra={"resampling_seed": settings.seed})
