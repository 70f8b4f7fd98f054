"""`steelyard ranking train`: a ranker as plain files, for `steelyard predict --model`."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.output import emit
from steelyard.cli.ranking.shared import data_options, prepared
from steelyard.cli.studies import ready
from steelyard.errors import SteelyardError
from steelyard.support.wording import counted

FEWEST = 30  # groups


@click.command("train")
@data_options
@click.option("-o", "--output", metavar="DIR", required=True, help="Folder for the model and its manifest.")
def command(data: tuple[str, ...], output: str, **options: Any) -> int:
    """Fit the regex-only ranker to all of DATA and write it to a folder: LightGBM's text and a JSON manifest."""
    ready(output, "-o")
    found, origin = prepared(data, options)
    from steelyard.lab.ranking.arms import REGEX_ONLY, arms
    from steelyard.lab.ranking.models import boosted
    from steelyard.lab.ranking.store import save

    groups = found.data.groups
    if len(groups) < FEWEST:
        raise SteelyardError(f"undefined: {counted(len(groups), 'group')} to train on; {FEWEST} are needed")
    names = arms(found).features[REGEX_ONLY]
    columns = found.columns(names)
    booster = boosted([rows[:, columns] for rows in found.rows], list(found.truth), options["seed"], names)
    about = {**origin, "name": found.data.name, "groups": len(groups), "queries": len(found.data.queries)}
    save(output, booster, names, data=about)
    emit(
        f"a ranker of {counted(len(names), 'feature')}, fitted to {counted(len(groups), 'group')} of "
        f"{counted(len(found.data.queries), 'query', 'queries')}\n"
        "how good it is, `steelyard ranking study` says; a fit to all of the data cannot\n"
        f"next: steelyard predict --model {output} --query '…' PAGES\n",
        None,
    )
    return 0
