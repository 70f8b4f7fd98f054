"""`steelyard outcome`: experiments on answer engines, one file for each command."""

from __future__ import annotations

import click

from steelyard.cli.outcome.anchors import command as anchors
from steelyard.cli.outcome.ceiling import command as ceiling
from steelyard.cli.outcome.run import command as run
from steelyard.cli.outcome.stats import command as stats


@click.group("outcome")
def command() -> None:
    """Ask answer engines: paired experiments, what levers do to citations, anchors that expire, the ceiling."""


command.add_command(run)
command.add_command(stats)
command.add_command(anchors)
command.add_command(ceiling)
