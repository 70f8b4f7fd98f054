"""`steelyard components`: what the score measures."""

from __future__ import annotations

import click

from steelyard.cli.options import format_option, output_option
from steelyard.cli.output import emit
from steelyard.report.component_list import describe_components, render_markdown, render_terminal
from steelyard.support.artifacts import to_json


@click.command("components")
@format_option("human", "json", "markdown")
@output_option
def command(form: str, output: str | None) -> int:
    """List the eleven components of the score.

    Shows what each measures, its formula and weight, and its value for pages on which it cannot be measured.
    """
    if form == "json":
        emit(to_json({"components": describe_components()}) + "\n", output)
    elif form == "markdown":
        emit(render_markdown(), output)
    else:
        emit("\n".join(render_terminal()), output)
    return 0
