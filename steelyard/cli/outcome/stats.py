"""`steelyard outcome stats`: what the answers say."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.options import AsOf, Known
from steelyard.cli.studies import finish, needs_laboratory, ready, study_options

MODES = ("recommended", "strict", "geo", "zero_based")


@click.command("stats")
@click.argument("records", nargs=-1, required=True)
@click.option(
    "--mode", type=Known("mode", MODES), default=MODES[0], show_default=True,
    help="How citations are read; recommended: as fits the file.",
)  # fmt: skip
@click.option("--tag", metavar="TAG", help="Queries with this tag only.")
@click.option("--draws", type=click.IntRange(min=100), default=1000, show_default=True, help="Of the bootstrap.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the resampling.")
@click.option(
    "--as-of", type=AsOf(), metavar="DATE", help="For freshness. [default: STEELYARD_AS_OF, else today in UTC]"
)
@study_options
def command(records: tuple[str, ...], mode: str, tag: str | None, **options: Any) -> int:
    """Paired effects of the levers, the effect of position, and how the score goes with visibility.

    RECORDS are journals of `outcome run`, or other people's records: GEO-Bench rows with answers, and the formats of
    the measuring data.
    """
    needs_laboratory()
    ready(options["folder"])
    from steelyard.lab.outcome.records.resolve import load
    from steelyard.lab.outcome.records.rows import distinct
    from steelyard.lab.outcome.study import study
    from steelyard.lab.study import outcome
    from steelyard.support.clock import resolve_as_of

    loaded = [load(record) for record in records]
    as_of = options["as_of"] or resolve_as_of(None)
    result = study(loaded, mode=mode, tag=tag, as_of=as_of, draws=options["draws"], seed=options["seed"])
    files = list(dict.fromkeys(item for each in loaded for item in each.inputs.items()))
    inputs = dict(zip(distinct(name for name, _ in files), (digest for _, digest in files), strict=True))
    parameters = {
        "mode": mode, "tag": tag, "draws": options["draws"], "seed": options["seed"], "as_of": as_of.isoformat(),
    }  # fmt: skip
    return finish(outcome.findings(result), {"inputs": inputs, "parameters": parameters}, options)
