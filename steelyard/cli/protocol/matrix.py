"""`steelyard protocol matrix`: which component answers which intervention."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.options import Known
from steelyard.cli.studies import capture_options, enough, finish, how, source_of, study_options, taken


@click.command("matrix")
@click.argument("source", default="demo")
@click.option("--check", is_flag=True, help="Exit 1 when a lever has no carrier.")
@click.option(
    "--split", type=Known("split", ("test", "train", "all")), default="test", show_default=True, help="Which sources."
)
@capture_options
@study_options
def command(source: str, check: bool, split: str, **options: Any) -> int:
    """The feature-anchor matrix beside the paper's, with distributions and correlations."""
    settings = how(options)
    from steelyard.lab.protocol.gates.base import FEWEST_SOURCES
    from steelyard.lab.protocol.matrix import study
    from steelyard.lab.study import matrix

    found = taken(source, settings)
    result = study(found, split)
    enough(result["sources"], FEWEST_SOURCES, "source", f" ({split})")
    return finish(matrix.findings(result, check=check), source_of(found), options)
