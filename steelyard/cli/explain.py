"""`steelyard explain`: the audit trail of one page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from steelyard.base.artifacts import to_json
from steelyard.base.errors import SteelyardError
from steelyard.cli.options import format_option, output_option, scoring_options
from steelyard.cli.output import emit
from steelyard.cli.score import document
from steelyard.cli.single import one_page
from steelyard.report import explain


@click.command("explain")
@click.argument("page")
@format_option("human", "json")
@scoring_options
@click.option("--all", "everything", is_flag=True, help="All evidence, however long.")
@output_option
def command(page: str, form: str, everything: bool, output: str | None, **options: Any) -> int:
    """Every point of PAGE: the formula, the numbers put in, the text with its lines, what one more would add."""
    scored, settings = one_page(page, options)
    text = scored.text
    if text is None:
        raise SteelyardError(f"{page}: no text to explain")
    if form == "json":
        emit(to_json(document([scored], [], replace(settings), with_text=True)) + "\n", output)
    else:
        emit("\n".join(explain.lines(scored, text, everything=everything)) + "\n", output)
    return 0
