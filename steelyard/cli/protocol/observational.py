"""`steelyard protocol observational`: why weights are not fitted to a few outcomes."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.studies import capture_options, enough, finish, how, source_of, study_options, taken


@click.command("observational")
@click.argument("source", default="demo")
@click.option(
    "--outcomes", metavar="FILE", help="JSONL with `text` and a number `outcome`. [default: simulated counts]"
)
@click.option(
    "--size", type=click.IntRange(12), default=39, show_default=True, help="How many outcomes are used at most."
)
@capture_options
@study_options
def command(source: str, outcomes: str | None, size: int, **options: Any) -> int:
    """Fit eleven weights to a few outcomes, in sample and leaving one out.

    Without --outcomes the outcomes are drawn at random, without a look at the page: whatever is found is overfitting.
    """
    settings = how(options)
    from steelyard.lab.protocol import observational as study
    from steelyard.lab.protocol.readings import readings
    from steelyard.lab.study import observational
    from steelyard.support.artifacts import sha256_of

    if outcomes:
        records = study.sampled(study.read(outcomes, settings.as_of), settings.seed, size)
        origin: dict[str, Any] = {
            "inputs": {"outcomes": sha256_of(outcomes)},
            "parameters": {"as_of": str(settings.as_of)},
        }
    else:
        found = taken(source, settings)
        pages = readings(found)
        enough(len(pages), study.FEWEST, "page")
        records = study.simulated(pages.base, settings.seed, size)
        origin = source_of(found)
    result = study.study(records, seed=settings.seed)
    extra = {"size": size, "resampling_seed": settings.seed}
    return finish(observational.findings(result), origin, options, extra=extra)
