"""`steelyard compare`: what a change to a page did to its score."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.options import format_option, output_option, scoring_options
from steelyard.cli.output import emit
from steelyard.cli.settings import one_page, settings_of
from steelyard.pipeline import scoring_record
from steelyard.report import compare
from steelyard.support.artifacts import to_json


@click.command("compare")
@click.argument("old")
@click.argument("new")
@format_option("human", "json")
@scoring_options
@click.option(
    "--max-drop", type=click.FloatRange(min=0), metavar="N", help="Exit 1 when the score falls by more than N points."
)
@output_option
def command(old: str, new: str, form: str, max_drop: float | None, output: str | None, **options: Any) -> int:
    """Points per component of OLD and NEW, and the spans gained and lost."""
    settings = settings_of(options, keep_text=True)
    before, after = one_page(old, settings), one_page(new, settings)
    if form == "json":
        emit(to_json({"scoring": scoring_record(settings), **compare.record(before, after)}) + "\n", output)
    else:
        emit("\n".join(compare.lines(before, after)) + "\n", output)
    fell = before.page.score - after.page.score
    return 1 if max_drop is not None and fell > max_drop else 0
