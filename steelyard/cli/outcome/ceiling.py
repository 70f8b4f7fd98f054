"""`steelyard outcome ceiling`: how often any fixed order of two sources can be right."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.options import Known
from steelyard.cli.studies import finish, needs_laboratory, ready, study_options

MODES = ("strict", "recommended", "geo", "zero_based")


@click.command("ceiling")
@click.argument("records", nargs=-1, required=True)
@click.option(
    "--mode", type=Known("mode", MODES), default=MODES[0], show_default=True,
    help="How citations are read; recommended: as fits each file. Shares that a file reports itself stay as they are.",
)  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Of the resampling.")
@study_options
def command(records: tuple[str, ...], mode: str, seed: int, **options: Any) -> int:
    """How often any fixed order of two sources can be right, where their visibility changes.

    RECORDS are one or more files of outcome records. The query ceiling is over pairs of sources that meet in several
    queries; the engine ceiling over several answers to one query: repeats, orders, instructions, engines, each apart.
    """
    needs_laboratory()
    ready(options["folder"])
    from steelyard.lab.outcome.ceiling import ceiling as run
    from steelyard.lab.outcome.records.resolve import load
    from steelyard.lab.outcome.records.rows import distinct
    from steelyard.lab.study import outcome_ceiling

    loaded = [load(record) for record in records]
    result = run(loaded, mode, seed=seed)
    files = list(dict.fromkeys(item for each in loaded for item in each.inputs.items()))
    inputs = dict(zip(distinct(name for name, _ in files), (digest for _, digest in files), strict=True))
    origin = {"inputs": inputs, "parameters": {"mode": mode, "seed": seed}}
    return finish(outcome_ceiling.findings(result), origin, options)
