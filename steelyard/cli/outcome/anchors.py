"""`steelyard outcome anchors`: whether the published anchors still stand."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.options import AsOf, Known
from steelyard.cli.studies import capture_options, finish, how, study_options, taken

MODES = ("strict", "geo", "zero_based")


@click.command("anchors")
@click.argument("runs", nargs=-1, required=True)
@click.option("--mode", type=Known("mode", MODES), default=MODES[0], show_default=True, help="How citations are read.")
@click.option("--dated", type=AsOf(), metavar="DATE", help="When the engines were asked. [default: --as-of]")
@click.option(
    "--recalibrate", "source", metavar="SOURCE",
    help="Also refit the weights to the measured anchors on these pages (or demo): a demonstration, never shipped.",
)  # fmt: skip
@click.option("--draws", type=click.IntRange(min=100), default=1000, show_default=True, help="Of the bootstrap.")
@capture_options
@study_options
def command(runs: tuple[str, ...], mode: str, source: str | None, **options: Any) -> int:
    """The anchor vector of RUNS in percentage points, with intervals and a verdict against the published one.

    RUNS are journals of `outcome run` with all levers and the filler.
    """
    settings = how(options)
    from steelyard.lab.corpus.corpus import TEST, TRAIN
    from steelyard.lab.outcome.records.resolve import load
    from steelyard.lab.outcome.records.rows import distinct
    from steelyard.lab.outcome.study import anchored
    from steelyard.lab.protocol.readings import readings
    from steelyard.lab.study import outcome_anchors

    files = [load(run) for run in runs]
    halves = None
    named = list(dict.fromkeys(item for each in files for item in each.inputs.items()))
    inputs = dict(zip(distinct(name for name, _ in named), (digest for _, digest in named), strict=True))
    if source is not None:
        capture = taken(source, settings)
        halves = readings(capture, split=TRAIN), readings(capture, split=TEST)
        inputs |= dict(capture.header.inputs)
    dated = options["dated"] or settings.as_of
    result = anchored(files, mode, dated=dated, halves=halves, draws=options["draws"], seed=settings.seed)
    parameters = {"mode": mode, "dated": dated.isoformat(), "draws": options["draws"], "seed": settings.seed}
    return finish(outcome_anchors.findings(result), {"inputs": inputs, "parameters": parameters}, options)
