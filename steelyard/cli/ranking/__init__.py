"""`steelyard ranking`: the ranker that sees the query, one file for each command."""

from __future__ import annotations

import click

from steelyard.cli.ranking.audit import command as audit
from steelyard.cli.ranking.study import command as study
from steelyard.cli.ranking.train import command as train


@click.group("ranking")
def command() -> None:
    """Rank sources for a query, and evaluate rankers so that nothing leaks."""


command.add_command(study)
command.add_command(audit)
command.add_command(train)
