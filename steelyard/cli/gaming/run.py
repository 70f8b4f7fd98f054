"""`steelyard gaming run`: every attack on every page, seen by the score and by the filter."""

from __future__ import annotations

import os
from typing import Any

import click

from steelyard.cli.studies import capture_options, finish, how, loaded, pages_of, study_options


@click.command("run")
@click.argument("source", default="demo")
@click.option(
    "--climbed", type=click.IntRange(0), default=10, show_default=True, help="Pages the adaptive attacker climbs."
)
@capture_options
@study_options
def command(source: str, climbed: int, **options: Any) -> int:
    """Thresholds on the training half of SOURCE, figures from the other: changes, AUC, detection, gains.

    SOURCE is a corpus file, a folder, a JSONL file, or the demo pages. The thresholds are those of these pages; the
    shipped filter keeps its own.
    """
    settings = how(options)
    from steelyard.lab.gaming.run import study
    from steelyard.lab.study import gaming

    corpus = loaded(source, quiet=settings.quiet)
    pages = pages_of(corpus, settings.language)
    result = study(
        pages,
        as_of=settings.as_of,
        climbed=climbed,
        seed=settings.seed,
        jobs=settings.jobs or os.cpu_count() or 1,
        quiet=settings.quiet,
    )
    origin = {
        "inputs": {corpus.name: corpus.digest},
        "parameters": {
            "language": settings.language,
            "seed": settings.seed,
            "as_of": str(settings.as_of),
            "climbed": climbed,
        },
    }
    return finish(gaming.findings(result), origin, options)
