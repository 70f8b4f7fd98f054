"""`steelyard gaming displacement`: from points to leaderboard positions."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.studies import finish, needs_laboratory, study_options


@click.command("displacement")
@click.argument("snapshot", required=False)
@study_options
def command(snapshot: str | None, **options: Any) -> int:
    """How many positions a gain of 1 to 7 points buys a domain, with one page inflated or with all.

    SNAPSHOT is a CSV file of `domain` (or `url`) and `score`, one page a row. Without one a frozen synthetic
    leaderboard is used, and labelled as that.
    """
    needs_laboratory()
    from steelyard.lab.gaming import snapshot as snapshots
    from steelyard.lab.gaming.displacement import displacement as run
    from steelyard.lab.study import displacement

    taken = snapshots.read(snapshot) if snapshot else snapshots.synthetic()
    result = run(taken)
    origin = {"inputs": {str(taken.name): str(taken.sha256)}, "parameters": {}}
    return finish(displacement.findings(result), origin, options)
