"""`steelyard editions`: what a score depends on besides the page, and how the editions differ."""

from __future__ import annotations

import click

from steelyard.pages.edition_list import describe_editions, make_tables
from steelyard.support.artifacts import to_json
from steelyard.terminal.options import format_option, output_option
from steelyard.terminal.output import emit


@click.command("editions")
@format_option("human", "json", "markdown")
@output_option
def command(form: str, output: str | None) -> int:
    """List the editions of the score and how they differ.

    An edition is everything besides the page that determines a score: patterns, sentences, tokens, caps, links, dates
    and weights. All have the same eleven components and formulas.
    """
    if form == "json":
        emit(to_json({"editions": describe_editions()}) + "\n", output)
    elif form == "markdown":
        emit("\n".join(table.to_markdown() for table in make_tables()), output)
    else:
        emit("\n\n".join("\n".join(table.to_terminal()) for table in make_tables()) + "\n", output)
    return 0
