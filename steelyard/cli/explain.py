"""`steelyard explain`: the audit trail of one page."""

from __future__ import annotations

from typing import Any

import click

from steelyard.base.artifacts import to_json
from steelyard.cli.options import format_option, output_option, scoring_options
from steelyard.cli.output import emit
from steelyard.cli.score import document
from steelyard.cli.settings import one_page, settings_of
from steelyard.report import explain


@click.command("explain")
@click.argument("page")
@format_option("human", "json")
@scoring_options
@click.option("--all", "everything", is_flag=True, help="All evidence, however long.")
@output_option
def command(page: str, form: str, everything: bool, output: str | None, **options: Any) -> int:
    """Every point of PAGE: the formula, the numbers put in, the text with its lines, what one more would add."""
    settings = settings_of(options, keep_text=True)
    scored = one_page(page, settings)
    if form == "json":
        emit(to_json(document([scored], [], settings, with_text=True)) + "\n", output)
    else:
        emit("\n".join(explain.lines(scored, scored.text or "", everything=everything)) + "\n", output)
    return 0
