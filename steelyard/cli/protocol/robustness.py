"""`steelyard protocol robustness`: is the selected point a plateau?"""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.studies import capture_options, finish, how, source_of, study_options, taken


@click.command("robustness")
@click.argument("source", default="demo")
@capture_options
@study_options
def command(source: str, **options: Any) -> int:
    """Ten other splits, two hundred shaken weightings, every ridge strength, every exponent."""
    settings = how(options)
    from steelyard.lab.protocol.readings import halves_of
    from steelyard.lab.protocol.robustness import robustness as run
    from steelyard.lab.study import robustness

    found = taken(source, settings)
    result = run(*halves_of(found), seed=settings.seed)
    return finish(robustness.findings(result), source_of(found), options, extra={"resampling_seed": settings.seed})
