"""`steelyard explain`: how the score of one page was computed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from steelyard.components import NAMES
from steelyard.errors import SteelyardError
from steelyard.inputs.find import find_pages
from steelyard.native.core import choose_core
from steelyard.pages.explain import render_explanation
from steelyard.pages.json_document import build_document
from steelyard.pipeline import PageResult, analyse
from steelyard.settings import Settings
from steelyard.site.fetching import make_fetch
from steelyard.support.artifacts import to_json
from steelyard.support.formatting import format_count
from steelyard.terminal.inputs import check_output, list_files
from steelyard.terminal.options import (
    Known,
    build_configured_settings,
    format_option,
    kind_option,
    output_option,
    scoring_options,
)
from steelyard.terminal.output import emit


@click.command("explain")
@click.argument("page")
@format_option("human", "json")
@scoring_options
@kind_option()
@click.option("--all", "everything", is_flag=True, help="Show all evidence, however long.")
@click.option(
    "--component", "only", type=Known("component", NAMES), multiple=True, metavar="NAME",
    help="Show only this component; repeatable. `steelyard rules` lists the names.",
)  # fmt: skip
@output_option
def command(page: str, form: str, everything: bool, only: tuple[str, ...], output: str | None, **options: Any) -> int:
    """Show how the score of PAGE was computed.

    For each component: the formula, the numbers in it, the points, and the evidence with its lines. Then the steps to
    the score, and what one more piece of evidence would add.
    """
    if only and form == "json":
        raise click.UsageError("--component cannot be used with --format json, which lists all components by name")
    settings = build_configured_settings(page, options, keep_text=True)
    check_output(output, list_files([page]))
    result = _analyse_single(page, settings)
    if form == "json":
        emit(to_json(build_document([result], [], settings, with_text=True)) + "\n", output)
    else:
        emit("\n".join(render_explanation(result, everything=everything, only=only)) + "\n", output)
    return 0


def _analyse_single(target: str, settings: Settings) -> PageResult:
    """Analyse the only page of a target.

    Raises:
        SteelyardError: The target is several pages or none, or its page cannot be scored.
    """
    refs = list(find_pages([target], max_bytes=settings.max_bytes, fetch=make_fetch(settings.max_bytes)))
    if len(refs) != 1:
        pages = format_count(len(refs), "page")
        raise SteelyardError(f"{target}: {pages}, but this command takes exactly one; name a single file")
    return analyse(refs[0], replace(settings, core=choose_core()))
