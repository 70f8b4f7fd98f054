"""`steelyard lab protocol capture`: score every source under every variant, into a journal."""

from __future__ import annotations

from typing import Any

import click

from steelyard.lab.commands.studies import make_request, require_laboratory, run_options, study_options
from steelyard.lab.study.study import CAPTURE_OPTIONS
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count
from steelyard.terminal.inputs import check_output, list_files
from steelyard.terminal.output import emit


@click.command("capture")
@click.argument("arguments", metavar="[SOURCE]", default="demo")
@click.option("-o", "--output", required=True, metavar="FILE", help="The capture; an interrupted one is resumed.")
@click.option("--force", is_flag=True, help="Start again, and keep nothing of what the file holds.")
@study_options(CAPTURE_OPTIONS)
@run_options
def command(output: str, force: bool, **parsed: Any) -> int:
    """Score every page of SOURCE under 21 variants, two combinations and seven exploratory ones, and keep all readings.

    A killed run continues where it stopped; the same bytes come out whatever the number of processes.
    """
    require_laboratory()
    from steelyard.lab.protocol import capture
    from steelyard.lab.scorers.own import OwnScorer
    from steelyard.lab.study.sources import open_pages

    check_output(output, list_files([parsed["arguments"]]))
    request = make_request(CAPTURE_OPTIONS, parsed)
    pages, corpus = open_pages(request, request.arguments[0])
    scorer = OwnScorer.of_edition(request.options["edition"], request.as_of)
    plan = capture.CapturePlan(request.options["view"], request.options["arm"], request.seed)
    head = capture.build_header(pages, corpus.digest, corpus.name, scorer, plan)
    captured = capture.capture(
        pages, scorer, head, plan, path=output, force=force, jobs=request.jobs, quiet=request.quiet
    )
    failed = len(captured.failures())
    sources, readings = format_count(len(pages), "source"), format_count(len(captured.rows), "reading")
    text = f"{sources} x {len(plan.variants)} variants: {readings} in {make_visible(output)}"
    emit(text + (f"; {failed} without an edit or a score\n" if failed else "\n"))
    return 1 if failed else 0
