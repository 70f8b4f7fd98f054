"""`steelyard protocol identify`: which weights the evidence fixes."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.studies import capture_options, finish, french, french_option, how, source_of, study_options, taken


@click.command("identify")
@click.argument("source", default="demo")
@french_option
@capture_options
@study_options
def command(source: str, french_source: str | None, **options: Any) -> int:
    """Leave every component out, hold its weight at twelve values, drop the ridge, merge the entropies."""
    settings = how(options)
    from steelyard.lab.protocol.identifiability import identify as run
    from steelyard.lab.protocol.readings import halves_of, readings
    from steelyard.lab.study import identify

    found = taken(source, settings)
    beside = french(french_source, source, settings)
    train, test = halves_of(found)
    result = run(train, test, readings(beside) if beside else None)
    return finish(identify.findings(result), source_of(found, french=beside), options)
