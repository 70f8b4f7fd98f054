"""`steelyard compare`: what a change to a page did to its score."""

from __future__ import annotations

from typing import Any

import click

from steelyard.base.artifacts import to_json
from steelyard.cli.options import format_option, output_option, scoring_options
from steelyard.cli.output import emit
from steelyard.cli.single import one_page
from steelyard.report import compare


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
    before, _ = one_page(old, options)
    after, _ = one_page(new, options)
    if form == "json":
        emit(to_json(compare.record(before, after)) + "\n", output)
    else:
        emit("\n".join(compare.lines(before, after)) + "\n", output)
    fell = before.page.score - after.page.score
    return 1 if max_drop is not None and fell > max_drop else 0
