"""`steelyard compare`: what a change to a page did to its score."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.inputs import check_output, list_files
from steelyard.cli.options import format_option, output_option, scoring_options
from steelyard.cli.output import emit
from steelyard.cli.settings import analyse_single, build_settings
from steelyard.pipeline import scoring_record
from steelyard.report.compare import compare_pages, render_comparison
from steelyard.support.artifacts import to_json


@click.command("compare")
@click.argument("old")
@click.argument("new")
@format_option("human", "json")
@scoring_options
@click.option(
    "--max-drop", type=click.FloatRange(min=0), metavar="N", help="Exit 1 when the score drops by more than N points."
)
@output_option
def command(old: str, new: str, form: str, max_drop: float | None, output: str | None, **options: Any) -> int:
    """Compare two versions of a page.

    Shows the points of OLD and NEW per component, and the evidence gained and lost.
    """
    check_output(output, list_files([old, new]))
    settings = build_settings(options, keep_text=True)
    before, after = analyse_single(old, settings), analyse_single(new, settings)
    if form == "json":
        emit(to_json({"scoring": scoring_record(settings), **compare_pages(before, after)}) + "\n", output)
    else:
        emit("\n".join(render_comparison(before, after)) + "\n", output)
    drop = before.page.score - after.page.score
    return 1 if max_drop is not None and drop > max_drop else 0
