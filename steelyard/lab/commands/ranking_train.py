"""`steelyard lab ranking train`: a ranker as plain files, for `steelyard predict --model`."""

from __future__ import annotations

import os
from typing import Any

import click

from steelyard.errors import SteelyardError
from steelyard.lab.commands.studies import make_request, require_folder, require_laboratory, run_options, study_options
from steelyard.lab.study.study import DATA_OPTIONS
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count
from steelyard.terminal.inputs import refuse_input
from steelyard.terminal.output import emit

MIN_GROUPS = 30  # groups


@click.command("train")
@click.argument("arguments", metavar="DATA...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="DIR", required=True, help="Folder for the model and its manifest.")
@study_options(DATA_OPTIONS)
@run_options
def command(output: str, **parsed: Any) -> int:
    """Fit the regex-only ranker to all of DATA and write it to a folder: LightGBM's text and a JSON manifest."""
    require_laboratory()
    from steelyard.lab.ranking.store import MANIFEST, MODEL
    from steelyard.lab.study.sources import open_groups

    require_folder(output, "-o")
    for name in (MODEL, MANIFEST):
        refuse_input(os.path.join(output, name), parsed["arguments"])
    request = make_request(DATA_OPTIONS, parsed)
    prepared = open_groups(request)
    from steelyard.lab.ranking.models import fit_booster
    from steelyard.lab.ranking.prepare import REGEX_ONLY, select_arms
    from steelyard.lab.ranking.store import save_model

    groups = prepared.data.groups
    if len(groups) < MIN_GROUPS:
        raise SteelyardError(f"undefined: {format_count(len(groups), 'group')} to train on; {MIN_GROUPS} are needed")
    arms, _ = select_arms(prepared)
    names = arms[REGEX_ONLY]
    booster = fit_booster(prepared.select_columns(names), prepared.truth, request.seed, names)
    about = {
        "inputs": request.inputs,
        "parameters": request.parameters,
        "name": prepared.data.name,
        "groups": len(groups),
        "queries": len(prepared.data.queries),
    }
    save_model(output, booster, names, data=about)
    emit(
        f"a ranker of {format_count(len(names), 'feature')}, fitted to {format_count(len(groups), 'group')} of "
        f"{format_count(len(prepared.data.queries), 'query', 'queries')}\n"
        "`steelyard lab ranking study` tells how good it is; a fit to all of the data cannot\n"
        f"next: steelyard predict --model {make_visible(output)} --query '…' PAGES\n"
    )
    return 0
