"""`steelyard protocol capture`: every source under every variant, in a journal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from steelyard.base.artifacts import sha256_of
from steelyard.cli.output import emit
from steelyard.cli.studies import capture_options, how, loaded, pages_of


@click.command("capture")
@click.argument("source", default="demo")
@click.option("-o", "--output", required=True, metavar="FILE", help="The capture; an interrupted one is resumed.")
@click.option("--force", is_flag=True, help="Start anew, and keep nothing of what the file holds.")
@click.option(
    "--weights",
    default="shipped",
    metavar="NAME|FILE",
    help="Of the `points` column.",
    show_default=True,
)
@capture_options
def command(source: str, output: str, force: bool, weights: str, **options: Any) -> int:
    """Score every page of SOURCE under 21 variants (and two combinations), and keep all readings.

    A killed run goes on where it stopped; the same bytes come out whatever the number of processes.
    """
    settings = how(options)
    from steelyard.protocol import capture
    from steelyard.score import weighting
    from steelyard.scorers.ours import Ours

    chosen = weighting.load(weights)  # a mistake in the file is told before the pages are read
    corpus = loaded(source, quiet=settings.quiet)
    pages = pages_of(corpus, settings.language)
    scorer = Ours(as_of=settings.as_of, weights=weights)
    plan = capture.Plan(settings.view, settings.arm, settings.seed)
    head = capture.header(pages, corpus.digest, corpus.name, scorer, plan)
    if chosen.name not in weighting.NAMED:  # a file may change under its name
        head = replace(head, inputs={**head.inputs, chosen.name: sha256_of(weights)})
    taken = capture.capture(
        pages, scorer, head, plan, path=output, force=force, jobs=settings.jobs, quiet=settings.quiet
    )
    failed = len(taken.failures())
    words = f"{len(pages)} sources x {len(plan.variants)} variants: {len(taken.rows)} readings in {output}"
    emit(words + (f"; {failed} without an edit or a score\n" if failed else "\n"), None)
    return 1 if failed else 0
