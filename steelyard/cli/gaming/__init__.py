"""`steelyard gaming`: the attacker's studies, one file each."""

from __future__ import annotations

import click

from steelyard.cli.gaming.displacement import command as displacement
from steelyard.cli.gaming.duplicates import command as duplicates
from steelyard.cli.gaming.run import command as run


@click.group("gaming")
def command() -> None:
    """Attack the score, and see who notices: attacks, detectors, an adaptive attacker, leaderboard positions."""


command.add_command(run)
command.add_command(displacement)
command.add_command(duplicates)
