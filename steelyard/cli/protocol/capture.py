"""`steelyard protocol capture`: every source under every variant, in a journal."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.output import emit
from steelyard.cli.studies import capture_options, how, loaded, pages_of
from steelyard.support.wording import counted


@click.command("capture")
@click.argument("source", default="demo")
@click.option("-o", "--output", required=True, metavar="FILE", help="The capture; an interrupted one is resumed.")
@click.option("--force", is_flag=True, help="Start anew, and keep nothing of what the file holds.")
@capture_options
def command(source: str, output: str, force: bool, **options: Any) -> int:
    """Score every page of SOURCE under 21 variants (and two combinations), and keep all readings.

    A killed run goes on where it stopped; the same bytes come out whatever the number of processes.
    """
    settings = how(options)
    from steelyard.lab.protocol import capture
    from steelyard.lab.scorers.ours import Ours

    corpus = loaded(source, quiet=settings.quiet)
    pages = pages_of(corpus, settings.language)
    scorer = Ours(as_of=settings.as_of)
    plan = capture.Plan(settings.view, settings.arm, settings.seed)
    head = capture.header(pages, corpus.digest, corpus.name, scorer, plan)
    taken = capture.capture(
        pages, scorer, head, plan, path=output, force=force, jobs=settings.jobs, quiet=settings.quiet
    )
    failed = len(taken.failures())
    sources, readings = counted(len(pages), "source"), counted(len(taken.rows), "reading")
    words = f"{sources} x {len(plan.variants)} variants: {readings} in {output}"
    emit(words + (f"; {failed} without an edit or a score\n" if failed else "\n"), None)
    return 1 if failed else 0
