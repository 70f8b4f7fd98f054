"""`steelyard explain`: the audit trail of one page."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.options import Known, format_option, output_option, scoring_options
from steelyard.cli.output import emit
from steelyard.cli.score import document
from steelyard.cli.settings import one_page, settings_of
from steelyard.components import NAMES
from steelyard.report import explain
from steelyard.support.artifacts import to_json


@click.command("explain")
@click.argument("page")
@format_option("human", "json")
@scoring_options
@click.option("--all", "everything", is_flag=True, help="All evidence, however long.")
@click.option(
    "--component", "only", type=Known("component", NAMES), multiple=True, metavar="NAME",
    help="This component alone; repeatable. `steelyard components` lists them.",
)  # fmt: skip
@output_option
def command(page: str, form: str, everything: bool, only: tuple[str, ...], output: str | None, **options: Any) -> int:
    """Every point of PAGE: the formula, the numbers put in, the text with its lines, what one more would add."""
    if only and form == "json":
        raise click.UsageError("--component shortens what people read; --format json has all components by name")
    settings = settings_of(options, keep_text=True)
    scored = one_page(page, settings)
    if form == "json":
        emit(to_json(document([scored], [], settings, with_text=True)) + "\n", output)
    else:
        emit("\n".join(explain.lines(scored, scored.text or "", everything=everything, only=only)) + "\n", output)
    return 0
